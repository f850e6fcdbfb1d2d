// What forward and backward of linear attention share: the products of one piece of up to 64 tokens.
//
// Inside of a piece the pairs are taken one by one, as in the softmax engine: a triangle is (keys, 64), row j for key
// j, a lane per query, and only queries i >= j see key j. It is cut into strips of 16 keys or queries, and what is
// hidden is computed only where a strip crosses the diagonal:
//
//          queries ->  0      16     32     48
//          keys    0   \#####|######|######|######
//                 16          \#####|######|######     \ : 16 x 16, the hidden half is set to 0
//                 32                 \#####|######
//                 48                        \#####
//
// Rows that vectors run along have whole vectors: `padded` channels, zeros behind the last one.
#pragma once

#include "attention/engines/cpu/softmax_lanes.h"
#include "attention/engines/linear_kernels.h"
#include "system/ceil_div.h"
#include "tensor/cpu/products/gemm_tile.h"
#include "tensor/cpu/transpose_copy.h"
#include "tensor/cpu/walk.h"

namespace heed {

using kernels::LinearPiece;
using kernels::LinearProblem;

inline constexpr long kPiece = kernels::kLinearPiece, kStrip = 16;
static_assert(kStrip * sizeof(float) % kVectorBytes == 0);

// Rounded up to whole vectors
template <class E> long padded(long channels) { return ceil_div(channels, Vec<E>::kLanes) * Vec<E>::kLanes; }

// x (n, C) as rows of whole vectors: where they lie, or copied to own (n, padded C) with zeros behind
template <class E> Rows<E> whole_rows(const Rows<E>& x, long n, long C, E* own) {
  const long width = padded<E>(C);
  if (width == C) return x;
  for (long i = 0; i < n; i++) {
    std::copy_n(x.data + i * x.row, C, own + i * width);
    std::fill_n(own + i * width + C, width - C, E(0));
  }
  return {own, width};
}

// Fetches x (n, C) into the second cache while something else is computed: rows that lie far apart are not foreseen by
// the processor.
template <class E> void fetch(const Rows<E>& x, long n, long C) {
  constexpr long kLine = 64 / sizeof(E);
  for (long i = 0; i < n; i++)
    for (long c = 0; c < C; c += kLine) __builtin_prefetch(x.data + i * x.row + c, 0, 2);
}

// to (C, 64) = x (n, C)^T, zeros in the lanes behind n
template <class E> void to_lanes(E* to, const Rows<E>& x, long n, long C) {
  transpose_block(to, kPiece, x.data, x.row, C, n);
  for (long c = 0; c < C; c++) std::fill_n(to + c * kPiece + n, kPiece - n, E(0));
}

// The triangle a (n, 64) of x (n, C) and y (C, 64): a_ji = <x_j, y_i> + more_i for i >= j, more (64) or null. Lanes
// before a key's strip stay as they are, and nobody reads them.
template <class E> void triangle(E* a, const Rows<E>& x, const E* y, const E* more, long n, long C) {
  const long end = padded<E>(n);
  for (long j = 0; j < n; j += kStrip) {
    const long count = std::min(kStrip, n - j);
    gemm_tile<Into::store>(MatrixView<E>{a + j * kPiece + j, count, end - j, kPiece, 1},
                           {x.data + j * x.row, count, C, x.row, 1}, {y + j, C, end - j, kPiece, 1});
    for (long r = 0; r < count; r++) {
      E* row = a + (j + r) * kPiece;
      if (more) add_row(row + j, more + j, end - j);
      std::fill_n(row + j, r, E(0));
    }
  }
}

// How many rows of a triangle are taken at a time. On the diagonal a strip multiplies hidden rows of x by 0; if those
// may be NaN or infinite, every row goes by itself.
template <class E> long strip_for(const Rows<E>& x, long n, long C) { return all_finite(x, n, C) ? kStrip : 1; }

// to (n, width) += a^T x: row i collects the keys 0 .. i. x (n, width)
template <class E> void add_keys(E* to, const E* a, const Rows<E>& x, long n, long width) {
  const long strip = strip_for(x, n, width);
  for (long i = 0; i < n; i += strip) {
    const long count = std::min(strip, n - i);
    gemm_tile<Into::add>(MatrixView<E>{to + i * width, count, width, width, 1}, {a + i, count, i + count, 1, kPiece},
                         {x.data, i + count, width, x.row, 1});
  }
}

// to (n, width) += a x: row j collects the queries j .. n. x (n, width)
template <class E> void add_queries(E* to, const E* a, const Rows<E>& x, long n, long width) {
  const long strip = strip_for(x, n, width);
  for (long j = 0; j < n; j += strip) {
    const long count = std::min(strip, n - j);
    gemm_tile<Into::add>(MatrixView<E>{to + j * width, count, width, width, 1},
                         {a + j * kPiece + j, count, n - j, kPiece, 1}, {x.data + j * x.row, n - j, width, x.row, 1});
  }
}

// to (C) += sum_r factor_r x_r, x (n, C); factor null: 1. The sum is taken first, in four parts.
template <class E> void add_rows(E* to, const Rows<E>& x, const E* factor, long n, long C) {
  for_vectors<E>(C, [&](long c, auto lanes) {
    Vec<E> part[4] = {E(0), E(0), E(0), E(0)};
    const auto term = [&](long r) {
      return Vec<E>(factor ? factor[r] : E(1)) * Vec<E>::load(x.data + r * x.row + c, lanes);
    };
    long r = 0;
    for (; r + 4 <= n; r += 4)
      for (long k = 0; k < 4; k++) part[k] = part[k] + term(r + k);
    for (; r < n; r++) part[0] = part[0] + term(r);
    (Vec<E>::load(to + c, lanes) + ((part[0] + part[1]) + (part[2] + part[3]))).store(to + c, lanes);
  });
}

// to (n, C) by its stride = x (n, width)
template <class E> void store_rows(E* to, long to_row, const E* x, long n, long C) {
  for (long i = 0; i < n; i++) std::copy_n(x + i * padded<E>(C), C, to + i * to_row);
}

}  // namespace heed
