#include "autograd/ops/where.h"

#include "tensor/create.h"
#include "tensor/ops/reduce.h"

namespace heed {

Variable where(const Tensor& condition, const Variable& a, const Variable& b) {
  return record("where", where(condition, a.value(), b.value()), {a, b},
                [condition = Saved(condition), shape_a = a.shape(), shape_b = b.shape(), want_a = a.requires_grad(),
                 want_b = b.requires_grad()](const Tensor& dy) {
                  Tensor zero = scalar(0, dy.dtype(), dy.device());
                  return Grads{want_a ? sum_to(where(condition, dy, zero), shape_a) : Tensor(),
                               want_b ? sum_to(where(condition, zero, dy), shape_b) : Tensor()};
                });
}

Variable masked_fill(const Variable& x, const Tensor& mask, double value) {
  return record("masked_fill", masked_fill(x.value(), mask, value), {x},
                [mask = Saved(mask)](const Tensor& dy) { return masked_fill(dy, mask, 0); });
}

Variable clamp(const Variable& x, double low, double high) {
  return record("clamp", clamp(x.value(), low, high), {x},
                [x = Saved(x), low, high](const Tensor& dy) { return clamp_backward(dy, x, low, high); });
}

}  // namespace heed
