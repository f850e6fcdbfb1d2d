#include "nn/linear.h"

#include "autograd/ops/bf16.h"
#include "autograd/ops/matmul.h"

namespace heed {

Variable linear(const Variable& x, const Variable& w, const Variable& b, const Context& ctx) {
  return ctx.bf16 ? linear_bf16(x, w, b) : linear(x, w, b);
}

Linear::Linear(long in, long out, const Options& options)
    : weight(parameter("weight", {out, in}, options.weight)),
      bias_(options.bias ? &parameter("bias", {out}, init::zeros()) : nullptr) {}

Variable Linear::bias() const { return bias_ ? *bias_ : Variable(); }

Variable Linear::forward(const Variable& x, Context& ctx) { return linear(x, weight, bias(), ctx); }

}  // namespace heed
