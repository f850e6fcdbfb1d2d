#include "autograd/ops/matmul.h"

#include "tensor/copy.h"
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
  return linear_in("linear", x, w, b, x.dtype());
}

// A cast to the type that a tensor has is the tensor itself.
Variable linear_in(const char* op, const Variable& x, const Variable& w, const Variable& b, DType type) {
  check_same_kind("linear", x.value(), w.value());
  return record(op, linear(cast(x.value(), type), cast(w.value(), type), b.value()), {x, w, b},
                [x = Saved(x), w = Saved(w), type, x_shape = x.shape(), want_x = x.requires_grad(),
                 want_w = w.requires_grad(), want_b = b.requires_grad()](const Tensor& dy) {
                  const Tensor d = cast(rows_of(dy), type);
                  // dw first: an x that was computed again for it is gone before dx, which is as large, is made
                  const Tensor dw = want_w ? matmul(transpose(d), cast(rows_of(x), type)) : Tensor();
                  return Grads{want_x ? reshape(matmul(d, cast(w, type)), x_shape) : Tensor(), dw,
                               want_b ? sum(cast(d, dy.dtype()), {0}) : Tensor()};
                });
}

}  // namespace heed
