// Moving elements along one axis: padding, rolling, repeating, flipping. All give a new tensor and work for every
// element type; they are made of copies, so there are no kernels of their own.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// `before` elements of `value` in front of x along `axis` and `after` behind it. dx = the middle of dy, a slice.
Tensor pad(const Tensor& x, int axis, long before, long after, double value = 0);

// Element i goes to (i + shift) mod n: what leaves at one end comes in at the other. The shift may be negative and
// larger than n. dx = dy rolled back.
Tensor roll(const Tensor& x, long shift, int axis);

// Whole blocks one after the other: [1, 2, 3] twice is [1, 2, 3, 1, 2, 3]. dx = dy summed over the blocks.
Tensor repeat(const Tensor& x, long times, int axis);
Tensor repeat_backward(const Tensor& dy, long times, int axis, const Shape& x_shape);

// Every element several times: [1, 2, 3] twice is [1, 1, 2, 2, 3, 3]. dx = dy summed over the repeats of each.
Tensor repeat_interleave(const Tensor& x, long times, int axis);
Tensor repeat_interleave_backward(const Tensor& dy, long times, int axis, const Shape& x_shape);

// The last element first. dx = dy flipped.
Tensor flip(const Tensor& x, int axis);

}  // namespace heed
