#include "tensor/views.h"

#include <algorithm>
#include <utility>

#include "system/ceil_div.h"
#include "tensor/copy.h"

namespace heed {
namespace {

// The shape with its one -1 replaced by what is left of x's elements.
Shape filled_in(const Tensor& x, const Shape& wanted) {
  Shape shape = wanted;
  bool fits = true;
  int open = -1;
  long known = 1;
  for (int i = 0; i < shape.dims(); i++) {
    if (shape[i] != -1) {
      fits &= !__builtin_mul_overflow(known, shape[i], &known);
      continue;
    }
    HEED_CHECK(open == -1, "reshape", "x is ", x.shape(), " and the wanted shape ", shape,
               " has more than one -1; only one size can be worked out");
    open = i;
  }
  if (fits && open >= 0 && known >= 0) shape[open] = known ? x.numel() / known : 0;
  HEED_CHECK(fits && shape.numel() == x.numel(), "reshape", "x is ", x.shape(), " with ", x.numel(),
             " elements and cannot become ", wanted,
             open < 0 ? "; the number of elements must stay the same"
                      : "; the sizes other than -1 must divide the number of elements");
  return shape;
}

// Finds strides that show x's elements in the new shape. Each group of old axes that fits together in memory is cut
// anew; false when a new axis would have to run across a gap.
bool strides_for(const Tensor& x, const Shape& shape, Strides* strides) {
  Shape sizes;
  Strides steps;  // x without its size-1 axes, and with neighbours merged that lie one after the other
  for (int i = 0; i < x.dims(); i++) {
    if (x.shape()[i] == 1) continue;
    int last = sizes.dims() - 1;
    if (last >= 0 && steps[last] == x.strides()[i] * x.shape()[i]) {
      sizes[last] *= x.shape()[i];
      steps[last] = x.strides()[i];
    } else {
      sizes.push_back(x.shape()[i]);
      steps.push_back(x.strides()[i]);
    }
  }
  *strides = Strides::filled(shape.dims(), 1);
  int group = sizes.dims() - 1;
  long left = group >= 0 ? sizes[group] : 1, step = group >= 0 ? steps[group] : 1;
  for (int i = shape.dims() - 1; i >= 0; i--) {
    if (shape[i] == 1) continue;
    if (left == 1 && group > 0) group--, left = sizes[group], step = steps[group];
    if (left % shape[i] != 0) return false;
    (*strides)[i] = step;
    step *= shape[i];
    left /= shape[i];
  }
  return true;
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& wanted) {
  check_defined("reshape", x);
  Shape shape = filled_in(x, wanted);
  if (x.is_contiguous()) return Tensor::view(x, shape, row_major(shape), x.offset());
  Strides strides;
  if (strides_for(x, shape, &strides)) return Tensor::view(x, shape, strides, x.offset());
  return reshape(contiguous(x), shape);
}

Tensor flatten(const Tensor& x) { return reshape(x, {-1}); }

Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
  check_defined("transpose", x);
  int a = axis_of("transpose", axis_a, x.shape()), b = axis_of("transpose", axis_b, x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return Tensor::view(x, shape, strides, x.offset());
}

Tensor permute(const Tensor& x, const Shape& order) {
  check_defined("permute", x);
  Shape shape;
  Strides strides;
  bool named[kMaxDims] = {}, fits = order.dims() == x.dims();
  for (long given : order) {
    int axis = axis_of("permute", given, x.shape());
    fits &= !std::exchange(named[axis], true);
    shape.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  HEED_CHECK(fits, "permute", "x is ", x.shape(), " and the order is ", order, "; it must name each of the ", x.dims(),
             " axes once");
  return Tensor::view(x, shape, strides, x.offset());
}

Tensor slice(const Tensor& x, int axis, long begin, long end, long step) {
  check_defined("slice", x);
  axis = axis_of("slice", axis, x.shape());
  long size = x.shape()[axis], first = begin < 0 ? begin + size : begin, last = end < 0 ? end + size : end;
  HEED_CHECK(0 <= first && first <= last && last <= size && step >= 1, "slice", "x is ", x.shape(), "; [", begin, ", ",
             end, ") with step ", step, " along axis ", axis, " is outside of its size ", size,
             ". The rule is 0 <= begin <= end <= size and step >= 1");
  step = std::min(step, std::max(size, 1L));  // a longer one takes the first element only, too, and may overflow
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape[axis] = ceil_div(last - first, step);
  strides[axis] *= step;
  return Tensor::view(x, shape, strides, x.offset() + first * x.strides()[axis]);
}

Tensor select(const Tensor& x, int axis, long index) {
  check_defined("select", x);
  axis = axis_of("select", axis, x.shape());
  long size = x.shape()[axis], at = index < 0 ? index + size : index;
  HEED_CHECK(at >= 0 && at < size, "select", "index ", index, " along axis ", axis, " is outside of x, which is ",
             x.shape());
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape.erase(axis);
  strides.erase(axis);
  return Tensor::view(x, shape, strides, x.offset() + at * x.strides()[axis]);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  check_defined("expand", x);
  Strides strides = Strides::filled(shape.dims(), 0);
  int shift = shape.dims() - x.dims();
  bool fits = shift >= 0;
  for (int i = 0; fits && i < x.dims(); i++) {
    if (x.shape()[i] == shape[i + shift])
      strides[i + shift] = x.strides()[i];
    else
      fits = x.shape()[i] == 1;
  }
  HEED_CHECK(fits, "expand", "x is ", x.shape(), " and cannot become ", shape,
             "; only sizes of 1 can be repeated, and new axes stand in front");
  return Tensor::view(x, shape, strides, x.offset());
}

Tensor squeeze(const Tensor& x, int axis) {
  check_defined("squeeze", x);
  axis = axis_of("squeeze", axis, x.shape());
  HEED_CHECK(x.shape()[axis] == 1, "squeeze", "axis ", axis, " of x, which is ", x.shape(), ", has the size ",
             x.shape()[axis], "; only an axis of size 1 can be removed");
  return select(x, axis, 0);
}

Tensor unsqueeze(const Tensor& x, int axis) {
  check_defined("unsqueeze", x);
  Shape shape = x.shape();
  HEED_CHECK(axis >= -x.dims() - 1 && axis <= x.dims(), "unsqueeze", "axis ", axis, " is outside of x, which is ",
             x.shape(), "; the rule is ", -x.dims() - 1, " to ", x.dims());
  if (axis < 0) axis += x.dims() + 1;
  Strides strides = x.strides();
  strides.insert(axis, axis < x.dims() ? shape[axis] * strides[axis] : 1);
  shape.insert(axis, 1);
  return Tensor::view(x, shape, strides, x.offset());
}

}  // namespace heed
