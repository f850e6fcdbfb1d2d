// Gather on Variables; see tensor/ops/gather.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/gather.h"

namespace heed {

Variable gather(const Variable& x, int axis, const Tensor& indices);
Variable index_select(const Variable& x, int axis, const Tensor& indices);

}  // namespace heed
