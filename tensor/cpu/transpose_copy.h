// Copies whose source and target lie element by element along different axes, such as a transposed matrix. Walking
// along either axis touches a new cache line at every step of the other side, so they are done in blocks that fit the
// cache.
#pragma once

#include <utility>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // without AVX: vectors are passed within one file only

namespace heed {

// The axis along which an operand lies element by element, or -1.
inline int unit_axis(const Loop& loop, int operand) {
  for (int i = 0; i < loop.sizes.dims(); i++)
    if (loop.strides[operand][i] == 1 && loop.sizes[i] > 1) return i;
  return -1;
}

// block(to_at, from_at, ni, nj) for every block of the plane of axes a (along which operand 1 lies) and b (operand 0).
template <class Block> void for_blocks(const Loop& loop, int a, int b, Block&& block) {
  constexpr long kBlock = 64;
  const long na = loop.sizes[a], nb = loop.sizes[b], blocks_a = ceil_div(na, kBlock);
  const long blocks_b = ceil_div(nb, kBlock), planes = loop.numel / na / nb;
  const long grain = rows_grain(std::min(na, kBlock) * std::min(nb, kBlock));
  parallel_for(planes * blocks_a * blocks_b, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long j = task % blocks_b * kBlock, i = task / blocks_b % blocks_a * kBlock;
      long at[2] = {i * loop.strides[0][a] + j, i + j * loop.strides[1][b]}, rest = task / blocks_b / blocks_a;
      for (int axis = loop.sizes.dims() - 1; axis >= 0; axis--) {
        if (axis == a || axis == b) continue;
        for (int k = 0; k < 2; k++) at[k] += rest % loop.sizes[axis] * loop.strides[k][axis];
        rest /= loop.sizes[axis];
      }
      block(at[0], at[1], std::min(kBlock, na - i), std::min(kBlock, nb - j));
    }
  });
}

// to (ni, nj) with rows of to_row, from (nj, ni) with rows of from_row: to[i][j] = from[j][i]
template <class E> void transpose_plain(E* to, long to_row, const E* from, long from_row, long ni, long nj) {
  for (long i = 0; i < ni; i++)
    for (long j = 0; j < nj; j++) to[i * to_row + j] = from[j * from_row + i];
}

// A square of elements in vector registers: one row each.
template <class E> struct Square {
  static constexpr int kSide = 32 / sizeof(E);
  typedef E Row __attribute__((vector_size(32)));
  typedef E Place __attribute__((vector_size(32), aligned(sizeof(E)), may_alias));  // a row anywhere in memory
  Row row[kSide];

  Square(const E* from, long stride) {
#pragma GCC unroll 32
    for (long k = 0; k < kSide; k++) row[k] = *reinterpret_cast<const Place*>(from + k * stride);
  }
  void store(E* to, long stride) const {
#pragma GCC unroll 32
    for (long k = 0; k < kSide; k++) *reinterpret_cast<Place*>(to + k * stride) = row[k];
  }

  template <int first, int... i> static Row zip(Row x, Row y, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(x, y, (i % 2 * kSide + first + i / 2)...);
  }

  // x0 y0 x1 y1 ... of rows k and k + side / 2, for all k: this moves the last bit of an element's address (row,
  // column) to the front. After as many steps as a column has bits, rows are columns.
  void transpose() {
    constexpr auto all = std::make_integer_sequence<int, kSide>();
#pragma GCC unroll 5
    for (int step = 1; step < kSide; step *= 2) {
      Row next[kSide];
      for (int k = 0; k < kSide / 2; k++) {
        next[2 * k] = zip<0>(row[k], row[k + kSide / 2], all);
        next[2 * k + 1] = zip<kSide / 2>(row[k], row[k + kSide / 2], all);
      }
      for (int k = 0; k < kSide; k++) row[k] = next[k];
    }
  }
};

// The same, square by square where there are whole ones.
template <class E> void transpose_block(E* to, long to_row, const E* from, long from_row, long ni, long nj) {
  constexpr long kSide = Square<E>::kSide;
  long i = 0;
  for (; i + kSide <= ni; i += kSide) {
    long j = 0;
    for (; j + kSide <= nj; j += kSide) {
      Square<E> square(from + j * from_row + i, from_row);
      square.transpose();
      square.store(to + i * to_row + j, to_row);
    }
    transpose_plain(to + i * to_row + j, to_row, from + j * from_row + i, from_row, kSide, nj - j);
  }
  transpose_plain(to + i * to_row, to_row, from + i, from_row, ni - i, nj);
}

// The source lies along axis a, the target along axis b.
template <class E> void transpose_copy(E* to, const E* from, const Loop& loop, int a, int b) {
  for_blocks(
      loop, a, b,
      [&, to_row = loop.strides[0][a], from_row = loop.strides[1][b]](long to_at, long from_at, long ni, long nj) {
        transpose_block(to + to_at, to_row, from + from_at, from_row, ni, nj);
      });
}

}  // namespace heed
