// Views: other looks at the same elements. None of these copies, except reshape where strides make it impossible.
// Axes may count from the end (-1 is the last).
#pragma once

#include "tensor/tensor.h"

namespace heed {

Tensor reshape(const Tensor& x, const Shape& shape);  // one size may be -1: what is left; copies if it must
Tensor flatten(const Tensor& x);                      // reshape(x, {-1})
Tensor transpose(const Tensor& x, int axis_a = -2, int axis_b = -1);
Tensor permute(const Tensor& x, const Shape& order);  // order[i]: which axis of x becomes axis i
Tensor slice(const Tensor& x, int axis, long begin, long end, long step = 1);  // begin, end may count from the end
Tensor select(const Tensor& x, int axis, long index);                          // one index; the axis goes away
Tensor expand(const Tensor& x, const Shape& shape);                            // repeats size-1 axes without copying
Tensor squeeze(const Tensor& x, int axis);                                     // removes an axis of size 1
Tensor unsqueeze(const Tensor& x, int axis);                                   // adds an axis of size 1 before `axis`

}  // namespace heed
