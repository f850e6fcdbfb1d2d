// Products of large f32 matrices. Two thirds of a training step are these: some thousand tokens times weights, and the
// gradient of the tokens. BLAS rearranges both operands before it multiplies; here rows of a are read where they lie.
#pragma once

#include "tensor/ops/matmul.h"

namespace heed {

// Is this product for large_matmul? Depends on the shape, on what this build and OpenBLAS's kernels can do here, and on
// the user: who sets OPENBLAS_CORETYPE wants those kernels, and gets them.
bool is_large_matmul(const MatmulLayout& s);

long large_matmul_workspace_bytes(const MatmulLayout& s);

// c (m, n) = a (m, k) b (k, n), and the bias (n) added to every row unless it is null. No batch.
void large_matmul(float* c, const float* a, const float* b, const float* bias, const MatmulLayout& s, void* workspace);

}  // namespace heed
