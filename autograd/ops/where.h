// Choosing between elements of Variables; see tensor/ops/where.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/where.h"

namespace heed {

Variable where(const Tensor& condition, const Variable& a, const Variable& b);
Variable masked_fill(const Variable& x, const Tensor& mask, double value);
Variable clamp(const Variable& x, double low, double high);

}  // namespace heed
