// Sort and topk on Variables; see tensor/ops/sort.h. The values carry a gradient, the indices are plain numbers.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/sort.h"

namespace heed {

struct SortedVariable {
  Variable values;
  Tensor indices;
};
SortedVariable sort(const Variable& x, int axis = -1, bool descending = false);
SortedVariable topk(const Variable& x, long k, int axis = -1, bool largest = true);

}  // namespace heed
