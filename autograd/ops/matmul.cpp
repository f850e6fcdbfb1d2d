#include "autograd/ops/matmul.h"

#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

// x (..., C) as (rows, C); C may be 0, which {-1, C} could not be worked out for.
Tensor rows_of(const Tensor& x) { return reshape(x, {x.shape().rows(), x.size(-1)}); }

}  // namespace

Variable matmul(const Variable& a, const Variable& b) {
  return record("matmul", matmul(a.value(), b.value()), {a, b},
                [a = Saved(a), b = Saved(b), a_shape = a.shape(), b_shape = b.shape(), want_a = a.requires_grad(),
                 want_b = b.requires_grad()](const Tensor& dy) {  // get() of what is not needed would compute it again
                  return Grads{want_a ? matmul_backward_a(dy, b, a_shape) : Tensor(),
                               want_b ? matmul_backward_b(dy, a, b_shape) : Tensor()};
                });
}

Variable linear(const Variable& x, const Variable& w, const Variable& b) {
  return record("linear", linear(x.value(), w.value(), b.value()), {x, w, b},
                [x = Saved(x), w = Saved(w), x_shape = x.shape(), want_x = x.requires_grad(),
                 want_w = w.requires_grad(), want_b = b.requires_grad()](const Tensor& dy) {
                  const Tensor d = rows_of(dy);
                  return Grads{want_x ? reshape(matmul(d, w), x_shape) : Tensor(),
                               want_w ? matmul(transpose(d), rows_of(x)) : Tensor(), want_b ? sum(d, {0}) : Tensor()};
                });
}

}  // namespace heed
