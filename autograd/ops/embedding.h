// Embedding on Variables; see tensor/ops/embedding.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/embedding.h"

namespace heed {

Variable embedding(const Variable& table, const Tensor& ids);  // table (V, C), ids (...) -> (..., C)

}  // namespace heed
