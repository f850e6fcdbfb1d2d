// Views and casts on Variables; see tensor/views.h and tensor/copy.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape);
Variable flatten(const Variable& x);
Variable transpose(const Variable& x, int axis_a = -2, int axis_b = -1);
Variable permute(const Variable& x, const Shape& order);
Variable slice(const Variable& x, int axis, long begin, long end, long step = 1);
Variable select(const Variable& x, int axis, long index);
Variable expand(const Variable& x, const Shape& shape);
Variable squeeze(const Variable& x, int axis);
Variable unsqueeze(const Variable& x, int axis);
Variable contiguous(const Variable& x);
Variable cast(const Variable& x, DType dtype);  // between f32 and f64; integers take no gradient

}  // namespace heed
