// c (m, n) = or += a (m, k) b (k, n) for tiles that fit into the first caches: the one product of the attention engines
// and of small_matmul.cpp. a is read one number at a time with any strides, so that a transposed a costs nothing; rows
// of b and c are dense, and n is a multiple of the vector width.
#pragma once

#include "tensor/cpu/simd.h"

namespace heed {

// Sums that stay in registers: with what they are made of they fill 16 registers, or 32 of AVX-512, and they are enough
// to hide the delay of an addition.
inline constexpr long kTileRows = 6;
inline constexpr long kTileVectors = kVectorBytes == 64 ? 4 : 2;

template <class E> struct TileMatrix {  // element (i, p) lies at data[i * row + p * column]
  const E* data;
  long row, column;
};

enum class Into { store, add };

template <class E, long M, long N, Into into>
[[gnu::always_inline]] inline void gemm_block(E* c, long c_row, const TileMatrix<E>& a, const E* b, long b_row,
                                              long k) {
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> sums[M][N];
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++)
      sums[i][j] = into == Into::add ? Vec<E>::load(c + i * c_row + j * kLanes) : Vec<E>(E(0));
  const E* left = a.data;
  for (long p = 0; p < k; p++, left += a.column, b += b_row) {
    Vec<E> right[N];
    for (long j = 0; j < N; j++) right[j] = Vec<E>::load(b + j * kLanes);
    for (long i = 0; i < M; i++) {
      const Vec<E> x(left[i * a.row]);
      for (long j = 0; j < N; j++) sums[i][j] = sums[i][j] + x * right[j];
    }
  }
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) sums[i][j].store(c + i * c_row + j * kLanes);
}

// All rows of a column of N vectors: blocks of M, then what is left in one smaller block.
template <class E, long M, long N, Into into>
void gemm_rows(E* c, long c_row, TileMatrix<E> a, const E* b, long b_row, long m, long k) {
  for (; m >= M; m -= M, c += M * c_row, a.data += M * a.row) gemm_block<E, M, N, into>(c, c_row, a, b, b_row, k);
  if constexpr (M > 1)
    if (m > 0) gemm_rows<E, M - 1, N, into>(c, c_row, a, b, b_row, m, k);
}

template <Into into, class E>
void gemm_tile(E* c, long c_row, const TileMatrix<E>& a, const E* b, long b_row, long m, long n, long k) {
  constexpr long kLanes = Vec<E>::kLanes, N = kTileVectors;
  long j = 0;
  for (; j + N * kLanes <= n; j += N * kLanes) gemm_rows<E, kTileRows, N, into>(c + j, c_row, a, b + j, b_row, m, k);
  if constexpr (N == 4)
    for (; j + 2 * kLanes <= n; j += 2 * kLanes) gemm_rows<E, kTileRows, 2, into>(c + j, c_row, a, b + j, b_row, m, k);
  for (; j < n; j += kLanes) gemm_rows<E, 2 * kTileRows, 1, into>(c + j, c_row, a, b + j, b_row, m, k);
}

}  // namespace heed
