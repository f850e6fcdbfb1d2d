#include "nn/embedding.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "nn/linear.h"

namespace heed {

Embedding::Embedding(long V, long C, const Options& options)
    : weight(parameter("weight", {V, C}, options.weight)), scale_(options.scale) {}

Variable Embedding::forward(const Tensor& ids, Context&) {
  Variable y = embedding(weight, ids);
  return scale_ == 1 ? y : y * scale_;
}

Variable Embedding::logits(const Variable& x, Context& ctx) { return linear(x, weight, Variable(), ctx); }

}  // namespace heed
