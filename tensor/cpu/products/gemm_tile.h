// c (m, n) = or += a (m, k) b (k, n) for tiles that fit into the first caches: the one product of the attention engines
// and of small_matmul.cpp. a is read one number at a time with any strides, so that a transposed a costs nothing; rows of
// b and c are dense, and n is a multiple of the vector width.
#pragma once

#include "tensor/cpu/simd.h"

namespace heed {

// Sums that stay in registers: with what they are made of they fill 16 registers, or 32 of AVX-512, and they are enough
// to hide the delay of an addition.
inline constexpr long kTileRows = 6;
inline constexpr long kTileVectors = kVectorBytes == 64 ? 4 : 2;

template <class T> struct TileMatrix {  // element (i, p) lies at data[i * row + p * column]
  const T* data;
  long row, column;
};

enum class Into { store, add };

template <class T, long M, long N, Into into>
[[gnu::always_inline]] inline void gemm_block(T* c, long c_row, const TileMatrix<T>& a, const T* b, long b_row,
                                              long k) {
  constexpr long L = Vec<T>::kLanes;
  Vec<T> sums[M][N];
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) sums[i][j] = into == Into::add ? Vec<T>::load(c + i * c_row + j * L) : Vec<T>(T(0));
  const T* left = a.data;
  for (long p = 0; p < k; p++, left += a.column, b += b_row) {
    Vec<T> right[N];
    for (long j = 0; j < N; j++) right[j] = Vec<T>::load(b + j * L);
    for (long i = 0; i < M; i++) {
      const Vec<T> x(left[i * a.row]);
      for (long j = 0; j < N; j++) sums[i][j] = sums[i][j] + x * right[j];
    }
  }
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) sums[i][j].store(c + i * c_row + j * L);
}

// All rows of a column of N vectors: blocks of M, then what is left in one smaller block.
template <class T, long M, long N, Into into>
void gemm_rows(T* c, long c_row, TileMatrix<T> a, const T* b, long b_row, long m, long k) {
  for (; m >= M; m -= M, c += M * c_row, a.data += M * a.row) gemm_block<T, M, N, into>(c, c_row, a, b, b_row, k);
  if constexpr (M > 1)
    if (m > 0) gemm_rows<T, M - 1, N, into>(c, c_row, a, b, b_row, m, k);
}

template <Into into, class T>
void gemm_tile(T* c, long c_row, const TileMatrix<T>& a, const T* b, long b_row, long m, long n, long k) {
  constexpr long L = Vec<T>::kLanes, N = kTileVectors;
  long j = 0;
  for (; j + N * L <= n; j += N * L) gemm_rows<T, kTileRows, N, into>(c + j, c_row, a, b + j, b_row, m, k);
  if constexpr (N == 4)
    for (; j + 2 * L <= n; j += 2 * L) gemm_rows<T, kTileRows, 2, into>(c + j, c_row, a, b + j, b_row, m, k);
  for (; j < n; j += L) gemm_rows<T, 2 * kTileRows, 1, into>(c + j, c_row, a, b + j, b_row, m, k);
}

}  // namespace heed
