// Products of tiles, for the kernels of the softmax engine. A block of 128 threads owns some rows (queries or keys) and
// walks over tiles of 64 rows of the other side. Every product it makes is
//
//   sum (own, columns) += left^T right,   left (depth, own) and right (depth, columns) in shared memory
//
// where columns are rows of the other side (scores: the depth is channels) or channels (results: the depth is rows of
// the other side). 16 groups of 8 threads share the own rows, the 8 threads of a group the columns, four side by side
// at a time: then every thread reads its factors as whole vectors, and no two threads wait for the same bank.
#pragma once

#include "cuda/port.h"

namespace heed::cuda {

inline constexpr int kTile = 64;  // rows of the other side, and of a tile of a plan
inline constexpr int kTileThreads = 128;
template <class E> inline constexpr int kOwn = sizeof(E) == 4 ? 64 : 32;    // rows of a block
template <class E> inline constexpr int kPiece = sizeof(E) == 4 ? 32 : 16;  // channels in shared memory at a time
template <class E> inline constexpr int kOwnEach = kOwn<E> / 16;            // own rows of a thread
inline constexpr int kPairsEach = kTile / 8;                                // columns of a thread in a tile of scores
inline constexpr int kGap = 4;  // behind a row in shared memory, so that columns lie in different banks

// Where item i of a thread's own rows, and of its columns, stands in the tile
template <class E> __device__ int own_at(int i) { return int(threadIdx.x) / 8 * kOwnEach<E> + i; }
__device__ inline int column_at(int x) { return x / 4 * 32 + int(threadIdx.x) % 8 * 4 + x % 4; }

// What a block has in shared memory
template <class E> struct TileMemory {
  static constexpr int kPieces = kPiece<E> * (kOwn<E> + kTile + 2 * kGap);
  alignas(16) E pieces[kPieces];                    // of rows, for the product that is under way
  alignas(16) E weights[kTile * (kOwn<E> + kGap)];  // (64, own rows): the left side of the results' product
  int harmful;                                      // number of the last piece with an element that is not finite

  __device__ E* weight(int own, int other) { return &weights[other * (kOwn<E> + kGap) + own]; }
};

// Rows of x in memory: row[i] is the number of the i-th one, -1: none
template <class E> struct RowsAt {
  const E* x;
  long stride;
  const int* row;
  long ones = -1;  // a channel that is not in memory: 1 in every row

  __device__ E at(int i, long c, long C) const {  // 0 where there is nothing
    if (row[i] < 0 || c >= C) return 0;
    return c == ones ? E(1) : x[row[i] * stride + c];
  }
};

// sum += left^T right; kGuarded: what has no weight is not even looked at, as it may be anything
template <bool kGuarded, int R, int C, class E>
__device__ void add_product(E (&sum)[R][C], const E* left, int left_row, const E* right, int right_row, int depth) {
  left += own_at<E>(0), right += column_at(0);
#pragma unroll 4
  for (int k = 0; k < depth; k++) {
    E a[R], b[C];
#pragma unroll
    for (int i = 0; i < R; i++) a[i] = left[k * left_row + i];
#pragma unroll
    for (int x = 0; x < C; x++) b[x] = right[k * right_row + x / 4 * 32 + x % 4];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
      for (int x = 0; x < C; x++)
        if (!kGuarded || a[i] != 0) sum[i][x] += a[i] * b[x];
  }
}

// to (channels, kRows + gap) = factor * rows^T, the channels c ..; zeros where there is nothing
template <int kRows, class E> __device__ void load_transposed(E* to, const RowsAt<E>& rows, long c, long C, E factor) {
#pragma unroll 4
  for (int e = int(threadIdx.x); e < kRows * kPiece<E>; e += kTileThreads) {
    const int i = e / kPiece<E>, k = e % kPiece<E>;
    to[k * (kRows + kGap) + i] = rows.at(i, c + k, C) * factor;
  }
}

// s (own, other) += factor * <own row, other row> over C channels. What the rows' numbers need must be in place; ends
// with a barrier.
template <class E>
__device__ void add_scores(E (&s)[kOwnEach<E>][kPairsEach], TileMemory<E>& memory, const RowsAt<E>& own,
                           const RowsAt<E>& other, long C, E factor) {
  constexpr int kOwnRow = kOwn<E> + kGap, kOtherRow = kTile + kGap;
  E *left = memory.pieces, *right = left + kPiece<E> * kOwnRow;
  for (long c = 0; c < C; c += kPiece<E>) {
    load_transposed<kOwn<E>>(left, own, c, C, factor);
    load_transposed<kTile>(right, other, c, C, E(1));
    __syncthreads();
    const int depth = C - c < kPiece<E> ? int(C - c + 3) / 4 * 4 : kPiece<E>;
    add_product<false>(s, left, kOwnRow, right, kOtherRow, depth);
    __syncthreads();
  }
}

// The weights go to shared memory, where add_results wants them.
template <class E> __device__ void keep_weights(TileMemory<E>& memory, const E (&s)[kOwnEach<E>][kPairsEach]) {
#pragma unroll
  for (int x = 0; x < kPairsEach; x++)
#pragma unroll
    for (int i = 0; i < kOwnEach<E>; i++) *memory.weight(own_at<E>(i), column_at(x)) = s[i][x];
}

// sum (own, W) += weights^T rows, the W channels from c on of the 64 rows. hidden: some weights are 0 since their pair
// is not visible, and then rows that are not finite must not reach the sum. `piece` counts what was loaded, for
// TileMemory::harmful. Ends with a barrier.
template <int W, class E>
__device__ void add_results(E (&sum)[kOwnEach<E>][W / 8], TileMemory<E>& memory, const RowsAt<E>& rows, long c, long C,
                            bool hidden, int& piece) {
  constexpr int kFit = TileMemory<E>::kPieces / W, kRows = kFit >= 64 ? 64 : kFit >= 32 ? 32 : 16;
  static_assert(kFit >= 16);
  for (int begin = 0; begin < kTile; begin += kRows) {
    piece++;
    bool harmful = false;
#pragma unroll 4
    for (int e = int(threadIdx.x); e < kRows * W; e += kTileThreads) {
      const E value = rows.at(begin + e / W, c + e % W, C);
      memory.pieces[e] = value;
      harmful |= !(value - value == 0);
    }
    if (harmful) memory.harmful = piece;
    __syncthreads();
    const E* left = memory.weights + begin * (kOwn<E> + kGap);
    if (hidden && memory.harmful == piece)
      add_product<true>(sum, left, kOwn<E> + kGap, memory.pieces, W, kRows);
    else
      add_product<false>(sum, left, kOwn<E> + kGap, memory.pieces, W, kRows);
    __syncthreads();
  }
}

// f with the narrowest width W of a block's results that holds so many channels, 128 at most
template <class E, class F> void with_width(long channels, const F& f) {
  if constexpr (sizeof(E) == 8)
    f(std::integral_constant<int, 64>());
  else if (channels <= 32)
    f(std::integral_constant<int, 32>());
  else if (channels <= 64)
    f(std::integral_constant<int, 64>());
  else
    f(std::integral_constant<int, 128>());
}

}  // namespace heed::cuda
