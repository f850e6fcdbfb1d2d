// Padding, rolling, repeating and flipping on Variables; see tensor/ops/pad.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/pad.h"

namespace heed {

Variable pad(const Variable& x, int axis, long before, long after, double value = 0);
Variable roll(const Variable& x, long shift, int axis);
Variable repeat(const Variable& x, long times, int axis);
Variable repeat_interleave(const Variable& x, long times, int axis);
Variable flip(const Variable& x, int axis);

}  // namespace heed
