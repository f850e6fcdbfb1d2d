// Triangular matrices and masks.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// Keeps the elements x[.., i, j] with j - i <= diagonal (tril) or j - i >= diagonal (triu), 0 elsewhere. x (..., rows,
// cols) of any element type. diagonal 0 is the one that starts at the upper left, 1 the one right of it, -1 the one
// below. dx = tril(dy, diagonal), triu(dy, diagonal).
Tensor tril(const Tensor& x, long diagonal = 0);
Tensor triu(const Tensor& x, long diagonal = 0);

// Boolean (T, S), true where query i may attend to key j: j - i <= S - T + diagonal. The T queries are the last T of
// the S positions (the lower right corners lie on each other), so the last query sees all keys, as in attention's
// causal mask; with T = S this is the lower triangle. diagonal -1 hides a query's own position, 1 shows the next one.
//
//   T = 2, S = 4:  1 1 1 0      T = 4, S = 2:  0 0   the first two queries stand before all keys
//                  1 1 1 1                     0 0
//                                              1 0
//                                              1 1
Tensor triangular_mask(long T, long S, long diagonal = 0, Device device = cpu);

// For the backends: y, x (matrices, rows, cols) with elements of `bytes` bytes; all-zero bits are 0 in every type.
struct TriangularSizes {
  long matrices = 1, rows = 1, cols = 1, bytes = 4;
};
namespace kernels {
// |diagonal| <= max(rows, cols); lower: keeps j - i <= diagonal, otherwise j - i >= diagonal
inline Kernel<void(void* y, const void* x, const TriangularSizes& s, long diagonal, bool lower)> triangular{
    "triangular"};
}  // namespace kernels

}  // namespace heed
