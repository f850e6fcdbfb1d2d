// Products with few rows, as in decoding: there BLAS spends its time on rearranging b, which is used only a few times.
#pragma once

namespace heed {

inline constexpr long kFewRows = 32;

// c (m, n) = a (m, k) b^T for m <= kFewRows, b (n, k): x w^T with the weights of a linear layer. Element (i, p) of a
// lies at a[i * a_row + p * a_col], the rows of b are dense.
template <class E>
void small_matmul(E* c, long c_row, const E* a, long a_row, long a_col, const E* b, long b_row, long m, long n, long k);

}  // namespace heed
