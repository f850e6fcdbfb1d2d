// Pooling over length on Variables; see tensor/ops/pooling.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/pooling.h"

namespace heed {

Variable max_pool1d(const Variable& x, const PoolOptions& options);   // (B, T, C) -> (B, T', C)
Variable mean_pool1d(const Variable& x, const PoolOptions& options);  // (B, T, C) -> (B, T', C)
Variable masked_mean(const Variable& x, const Tensor& lengths);       // (B, T, C), (B,) -> (B, C)

}  // namespace heed
