// The Euclidean norm of a whole tensor, in one reading pass: what clipping asks of the gradients before every step.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// sqrt(sum x^2), squared and added up in double: it neither overflows nor underflows in f32. Of nothing: 0.
double norm(const Tensor& x);

// The same from plain ops: the definition.
double norm_reference(const Tensor& x);

// For the backends: x (n) is cut into blocks of kSquaresBlock, partial (blocks) are their sums of squares.
inline constexpr long kSquaresBlock = 8192;
namespace kernels {
template <class E> inline Kernel<void(double* partial, const E* x, long n)> sums_of_squares{"norm"};
}  // namespace kernels

}  // namespace heed
