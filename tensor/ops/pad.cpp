#include "tensor/ops/pad.h"

#include "tensor/copy.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

// What a repeated tensor is: y (blocks, times, run) shows each run of x (blocks, 1, run) `times` times.
struct Repeated {
  Shape y_shape;  // with x's axes
  Shape x_runs, y_runs;
};

Repeated plan(const char* op, const Shape& x, long times, int axis, bool interleave) {
  axis = axis_of(op, axis, x);
  Repeated r{x, {1, 1, 1}, {}};
  HEED_CHECK(times >= 0 && !__builtin_mul_overflow(x[axis], times, &r.y_shape[axis]), op, "x is ", x,
             " and is to be repeated ", times, " times along axis ", axis,
             "; the rule is 0 <= times and size * times < 2^63");
  for (int i = 0; i < x.dims(); i++) r.x_runs[i < axis || (interleave && i == axis) ? 0 : 2] *= x[i];
  r.y_runs = {r.x_runs[0], times, r.x_runs[2]};
  return r;
}

Tensor repeated(const Tensor& x, const Repeated& r) {
  Tensor y = Tensor::empty(r.y_shape, x.dtype(), x.device());
  copy_into(reshape(y, r.y_runs), reshape(x, r.x_runs));
  return y;
}

Tensor summed(const char* op, const Tensor& dy, const Repeated& r, const Shape& x_shape) {
  check_defined(op, dy);
  HEED_CHECK(dy.shape() == r.y_shape, op, "x is ", x_shape, " and dy is ", dy.shape(), "; dy must be ", r.y_shape);
  return reshape(sum(reshape(dy, r.y_runs), {1}), x_shape);
}

}  // namespace

Tensor pad(const Tensor& x, int axis, long before, long after, double value) {
  check_defined("pad", x);
  axis = axis_of("pad", axis, x.shape());
  Shape shape = x.shape();
  const long size = shape[axis];
  bool fits = before >= 0 && after >= 0 && !__builtin_add_overflow(size, before, &shape[axis]) &&
              !__builtin_add_overflow(shape[axis], after, &shape[axis]);
  HEED_CHECK(fits, "pad", "x is ", x.shape(), " and is to get ", before, " elements before and ", after, " after axis ",
             axis, "; both must be 0 or more and the sum less than 2^63. To cut elements off use slice");
  Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  fill(slice(y, axis, 0, before), value);
  copy_into(slice(y, axis, before, before + size), x);
  fill(slice(y, axis, before + size, shape[axis]), value);
  return y;
}

Tensor roll(const Tensor& x, long shift, int axis) {
  check_defined("roll", x);
  axis = axis_of("roll", axis, x.shape());
  const long n = x.size(axis);
  if (n == 0) return clone(x);
  const long cut = n - (shift % n + n) % n;  // the element that comes first
  return concatenate({slice(x, axis, cut, n), slice(x, axis, 0, cut)}, axis);
}

Tensor repeat(const Tensor& x, long times, int axis) {
  check_defined("repeat", x);
  return repeated(x, plan("repeat", x.shape(), times, axis, false));
}

Tensor repeat_backward(const Tensor& dy, long times, int axis, const Shape& x_shape) {
  return summed("repeat", dy, plan("repeat", x_shape, times, axis, false), x_shape);
}

Tensor repeat_interleave(const Tensor& x, long times, int axis) {
  check_defined("repeat_interleave", x);
  return repeated(x, plan("repeat_interleave", x.shape(), times, axis, true));
}

Tensor repeat_interleave_backward(const Tensor& dy, long times, int axis, const Shape& x_shape) {
  return summed("repeat_interleave", dy, plan("repeat_interleave", x_shape, times, axis, true), x_shape);
}

Tensor flip(const Tensor& x, int axis) {
  check_defined("flip", x);
  axis = axis_of("flip", axis, x.shape());
  if (x.numel() == 0) return clone(x);
  Strides strides = x.strides();
  strides[axis] = -strides[axis];  // walked from the last element to the first
  return clone(Tensor::view(x, x.shape(), strides, x.offset() + (x.size(axis) - 1) * x.strides()[axis]));
}

}  // namespace heed
