// c (m, n) = or += a (m, k) b (k, n) for tiles that fit into the first caches: the one product of the attention engines
// and of small_matmul.cpp. a is read one number at a time with any strides, so that a transposed a costs nothing; rows
// of b and c are dense, and n is a multiple of the vector width.
#pragma once

#include "tensor/cpu/products/matrix.h"
#include "tensor/cpu/simd.h"

namespace heed {

// Sums that stay in registers: with what they are made of they fill 16 registers, or 32 of AVX-512, and they are enough
// to hide the delay of an addition.
inline constexpr long kTileRows = 6;
inline constexpr long kTileVectors = kVectorBytes == 64 ? 4 : 2;

// store: c = a b; add: c += a b, product by product; add_sum: c += (a b), the sum is taken first. Of many tiles the
// latter is more accurate: small numbers are not added to a large sum one by one.
enum class Into { store, add, add_sum };

// M rows and N vectors of c
template <class E, long M, long N, Into into>
[[gnu::always_inline]] inline void gemm_block(MatrixView<E> c, MatrixView<const E> a, MatrixView<const E> b) {
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> sums[M][N];
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++)
      sums[i][j] = into == Into::add ? Vec<E>::load(c.data + i * c.row + j * kLanes) : Vec<E>(E(0));
  const E *left = a.data, *below = b.data;
  for (long p = 0; p < a.columns; p++, left += a.column, below += b.row) {
    Vec<E> right[N];
    for (long j = 0; j < N; j++) right[j] = Vec<E>::load(below + j * kLanes);
    for (long i = 0; i < M; i++) {
      const Vec<E> x(left[i * a.row]);
      for (long j = 0; j < N; j++) sums[i][j] = sums[i][j] + x * right[j];
    }
  }
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      E* to = c.data + i * c.row + j * kLanes;
      (into == Into::add_sum ? Vec<E>::load(to) + sums[i][j] : sums[i][j]).store(to);
    }
}

// All rows of a column of N vectors: blocks of M, then what is left in one smaller block.
template <class E, long M, long N, Into into>
void gemm_rows(MatrixView<E> c, MatrixView<const E> a, MatrixView<const E> b) {
  for (; a.rows >= M; a.rows -= M, c.data += M * c.row, a.data += M * a.row) gemm_block<E, M, N, into>(c, a, b);
  if constexpr (M > 1)
    if (a.rows > 0) gemm_rows<E, M - 1, N, into>(c, a, b);
}

// Columns of c from j on, N vectors at a time; the first column that is left. Not inline: the loops need all registers
// for themselves.
template <class E, long M, long N, Into into>
[[gnu::noinline]] long gemm_columns(long j, const MatrixView<E>& c, const MatrixView<const E>& a,
                                    const MatrixView<const E>& b) {
  constexpr long kWidth = N * Vec<E>::kLanes;
  for (; j + kWidth <= c.columns; j += kWidth)
    gemm_rows<E, M, N, into>(c.some_columns(j, kWidth), a, b.some_columns(j, kWidth));
  return j;
}

template <Into into, class E> void gemm_tile(const MatrixView<E>& c, const ConstMatrix<E>& a, const ConstMatrix<E>& b) {
  long j = gemm_columns<E, kTileRows, kTileVectors, into>(0, c, a, b);
  if constexpr (kTileVectors == 4) j = gemm_columns<E, kTileRows, 2, into>(j, c, a, b);
  gemm_columns<E, 2 * kTileRows, 1, into>(j, c, a, b);
}

}  // namespace heed
