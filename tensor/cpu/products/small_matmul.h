// Products with few rows, as in decoding: there BLAS spends its time on rearranging b, which is used only a few times.
#pragma once

#include "tensor/cpu/products/matrix.h"

namespace heed {

inline constexpr long kFewRows = 32;

// c (m, n) = a (m, k) b (k, n) for m <= kFewRows. Rows of c and columns of b are dense: b is the transpose of weights
// (n, k), as in x w^T of a linear layer.
template <class E> void small_matmul(const MatrixView<E>& c, const ConstMatrix<E>& a, const ConstMatrix<E>& b);

}  // namespace heed
