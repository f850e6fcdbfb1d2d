#include "autograd/ops/bf16.h"

#include "autograd/ops/matmul.h"
#include "tensor/copy.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

// x (..., C) as (rows, C); C may be 0
Tensor rows_of(const Tensor& x) { return reshape(x, {x.shape().rows(), x.size(-1)}); }

Tensor rounded(const Tensor& x) { return x.dtype() == f64 ? x : cast(cast(x, bf16), f32); }

}  // namespace

Variable linear_bf16(const Variable& x, const Variable& w, const Variable& b) {
  check_same_kind("linear", x.value(), w.value());
  if (x.dtype() == f64) return linear(x, w, b);
  return record("linear_bf16", linear(cast(x.value(), bf16), cast(w.value(), bf16), b.value()), {x, w, b},
                [x = Saved(x), w = Saved(w), x_shape = x.shape(), want_x = x.requires_grad(),
                 want_w = w.requires_grad(), want_b = b.requires_grad()](const Tensor& dy) {
                  const Tensor d = cast(rows_of(dy), bf16);
                  return Grads{want_x ? reshape(matmul(d, cast(w, bf16)), x_shape) : Tensor(),
                               want_w ? matmul(transpose(d), cast(rows_of(x), bf16)) : Tensor(),
                               want_b ? sum(cast(d, f32), {0}) : Tensor()};
                });
}

Variable bf16_operand(const Variable& x, bool keep) {
  const Variable y = record("bf16_operand", rounded(x.value()), {x}, [](const Tensor& dy) { return dy; });
  return keep || !y.requires_grad() ? y : recomputable(y, [x = Saved(x)] { return rounded(x); });
}

Variable bf16_gradient(const Variable& x) {
  return record("bf16_gradient", x.value(), {x}, [](const Tensor& dy) { return rounded(dy); });
}

}  // namespace heed
