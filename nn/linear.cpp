#include "nn/linear.h"

#include "autograd/matmul.h"

namespace heed {

Linear::Linear(long in, long out, const Options& options)
    : weight(parameter("weight", {out, in}, options.weight)),
      bias_(options.bias ? &parameter("bias", {out}, init::zeros()) : nullptr) {}

Variable Linear::bias() const { return bias_ ? *bias_ : Variable(); }

Variable Linear::forward(const Variable& x, Context&) { return linear(x, weight, bias()); }

}  // namespace heed
