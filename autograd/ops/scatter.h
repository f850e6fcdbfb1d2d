// Scatter on Variables; see tensor/ops/scatter.h. Gradients go to x and to the source.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/scatter.h"

namespace heed {

Variable scatter(const Variable& x, int axis, const Tensor& indices, const Variable& source);
Variable scatter_add(const Variable& x, int axis, const Tensor& indices, const Variable& source);

}  // namespace heed
