// Matrix products on Variables; see tensor/ops/matmul.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/matmul.h"

namespace heed {

Variable matmul(const Variable& a, const Variable& b);  // (..., M, K) x (..., K, N) -> (..., M, N)

// y = x w^T + b: x (..., in), w (out, in), b (out) or undefined -> (..., out).
// dx = dy w, dw = dy^T x, db = the sum of dy over all rows.
Variable linear(const Variable& x, const Variable& w, const Variable& b);
// The same with x, w and dy cast to `type` where they are multiplied (bf16.h); op: what the graph calls it.
Variable linear_in(const char* op, const Variable& x, const Variable& w, const Variable& b, DType type);

}  // namespace heed
