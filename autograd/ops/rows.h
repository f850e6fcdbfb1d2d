// Rows by index, with gradients; shapes and rules are those of tensor/ops/rows.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/rows.h"

namespace heed {

Variable rows_at(const Variable& x, const Tensor& index);             // dx = rows_added(dy)
Variable rows_added(const Variable& y, const Tensor& index, long T);  // dy = rows_at(dx)

}  // namespace heed
