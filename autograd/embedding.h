// Embedding on Variables; see tensor/embedding.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/embedding.h"

namespace heed {

Variable embedding(const Variable& table, const Tensor& ids);  // table (V, C), ids (...) -> (..., C)

}  // namespace heed
