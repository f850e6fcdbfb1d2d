#include "autograd/ops/bf16.h"

#include "autograd/ops/matmul.h"
#include "tensor/copy.h"

namespace heed {
namespace {

Tensor rounded(const Tensor& x) { return x.dtype() == f64 ? x : cast(cast(x, bf16), f32); }

}  // namespace

Variable linear_bf16(const Variable& x, const Variable& w, const Variable& b) {
  return x.dtype() == f64 ? linear(x, w, b) : linear_in("linear_bf16", x, w, b, bf16);
}

Variable bf16_operand(const Variable& x, bool keep) {
  const Variable y = record("bf16_operand", rounded(x.value()), {x}, [](const Tensor& dy) { return dy; });
  return keep || !y.requires_grad() ? y : recomputable(y, [x = Saved(x)] { return rounded(x); });
}

Variable bf16_gradient(const Variable& x) {
  return record("bf16_gradient", x.value(), {x}, [](const Tensor& dy) { return rounded(dy); });
}

}  // namespace heed
