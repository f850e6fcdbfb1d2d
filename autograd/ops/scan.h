// Scans on Variables; see tensor/ops/scan.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/scan.h"

namespace heed {

Variable cumsum(const Variable& x, int axis, bool reverse = false);

struct CumulativeMax {
  Variable values;
  Tensor indices;  // i64
};
CumulativeMax cumulative_max(const Variable& x, int axis);

}  // namespace heed
