#include "autograd/ops/pad.h"

#include <algorithm>

#include "tensor/views.h"

namespace heed {

Variable pad(const Variable& x, int axis, long before, long after, double value) {
  return record("pad", pad(x.value(), axis, before, after, value), {x},
                [=, size = x.size(axis)](const Tensor& dy) { return slice(dy, axis, before, before + size); });
}

Variable roll(const Variable& x, long shift, int axis) {
  Tensor y = roll(x.value(), shift, axis);
  const long back = -(shift % std::max(1L, y.size(axis)));  // in range: -shift may overflow
  return record("roll", y, {x}, [=](const Tensor& dy) { return roll(dy, back, axis); });
}

Variable repeat(const Variable& x, long times, int axis) {
  return record("repeat", repeat(x.value(), times, axis), {x},
                [=, shape = x.shape()](const Tensor& dy) { return repeat_backward(dy, times, axis, shape); });
}

Variable repeat_interleave(const Variable& x, long times, int axis) {
  return record(
      "repeat_interleave", repeat_interleave(x.value(), times, axis), {x},
      [=, shape = x.shape()](const Tensor& dy) { return repeat_interleave_backward(dy, times, axis, shape); });
}

Variable flip(const Variable& x, int axis) {
  return record("flip", flip(x.value(), axis), {x}, [=](const Tensor& dy) { return flip(dy, axis); });
}

}  // namespace heed
