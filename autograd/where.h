// Choosing between elements of Variables; see tensor/where.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/where.h"

namespace heed {

Variable where(const Tensor& condition, const Variable& a, const Variable& b);
Variable masked_fill(const Variable& x, const Tensor& mask, double value);
Variable clamp(const Variable& x, double low, double high);

}  // namespace heed
