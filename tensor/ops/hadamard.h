// The Walsh-Hadamard transform: a rotation of n numbers that costs n log n additions and stores nothing. With random
// signs in front of it, it takes the place of a random orthogonal matrix.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// y_i = 1/sqrt(n) sum_j (-1)^(number of ones in i & j) x_j along the last axis, whose size n is a power of two.
// H is symmetric and H H = 1, so the transform is its own inverse, and its own gradient: dx = walsh_hadamard(dy).
Tensor walsh_hadamard(const Tensor& x);

// The same as a product with the matrix H (n, n): the definition.
Tensor walsh_hadamard_reference(const Tensor& x);

// For the backends: y, x (rows, n).
namespace kernels {
template <class E> inline Kernel<void(E* y, const E* x, long rows, long n)> walsh_hadamard{"walsh_hadamard"};
}  // namespace kernels

}  // namespace heed
