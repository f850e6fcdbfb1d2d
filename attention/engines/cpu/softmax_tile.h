// What forward and backward of the softmax engine share: one tile of up to 64 queries by 64 keys. Queries lie in the
// lanes: a tile of scores is s^T (keys, 64), and so every query has its own lane from the product to the sum, no lane
// ever looks at another, and any number of keys is fine. (The other way round a row's maximum and sum would have to be
// taken across the lanes of a register, which is slow.) Scores are in units of log 2, since 2^x is cheaper than exp(x):
//
//   exp(s - m) = 2^(s log2(e) - m log2(e)),   and log2(e) is multiplied into q once, with the scale
//
// Shapes: s, dp, keep are (count, 64), row r for key r of the tile; whatever is per query is (64).
#pragma once

#include <cmath>

#include "attention/engines/cpu/softmax_lanes.h"
#include "attention/engines/keep_kernels.h"
#include "tensor/cpu/products/gemm_tile.h"
#include "tensor/cpu/transpose_copy.h"

namespace heed {

using kernels::SoftmaxOperands;

inline constexpr double kLog2e = 1.44269504088896340736, kLog2 = 0.69314718055994530942;

// to (C, 64) = factor * from (n, C)^T, zeros in the lanes beyond n
template <class E> void transpose_scaled(E* to, const E* from, long from_row, long n, long C, E factor) {
  transpose_block(to, kTile, from, from_row, C, n);
  for (long c = 0; c < C; c++) {
    for (long i = 0; i < n; i++) to[c * kTile + i] *= factor;
    for (long i = n; i < kTile; i++) to[c * kTile + i] = 0;
  }
}

// ---- products of a part of a tile

// s or dp (count, 64) at the part = rows (count, C) x columns (C, 64)
template <class E> void part_scores(E* s, const TilePart& part, const Rows<E>& rows, const E* columns, long C) {
  gemm_tile<Into::store>(MatrixView<E>{s + part.at(), part.rows, part.lanes, kTile, 1},
                         {rows.data + part.row * rows.row, part.rows, C, rows.row, 1},
                         {columns + part.lane, C, part.lanes, kTile, 1});
}

// to (C, 64) += rows (count, C)^T x weights (count, 64), both at the part
template <class E> void part_sums(E* to, const TilePart& part, const Rows<E>& rows, const E* weights, long C) {
  gemm_tile<Into::add>(MatrixView<E>{to + part.lane, C, part.lanes, kTile, 1},
                       {rows.data + part.row * rows.row, C, part.rows, 1, rows.row},
                       {weights + part.at(), part.rows, part.lanes, kTile, 1});
}

// ---- biases and dropout

// Where the tokens of a sample stand (softmax_kernels.h)
struct Standing {
  const int32_t *queries, *keys;  // or null
  long ahead;

  Standing(const SoftmaxProblem& p, long b)
      : queries(p.positions.queries.of(b)),
        keys(p.positions.keys.of(b)),
        ahead(p.sizes.key_tokens - p.sizes.query_tokens) {}
  long query(long token) const { return queries ? queries[token] : token + ahead; }
  long key(long token) const { return keys ? keys[token] : token; }
};

// f(at, entry, n) for all pairs: the n scores from s[at] on belong to the entries from `entry` on of by_distance
template <class E, class F> void for_distances(const Lanes<E>& lanes, const KeyTile& keys, F&& f) {
  const Standing at(lanes.p, lanes.b);
  const bool side_by_side = !lanes.p.seen.query_index && !at.queries;  // the next lane is at the next position
  for (long r = 0; r < keys.count; r++) {
    if (keys.at(r) < 0) continue;
    const long shift = lanes.p.zero - at.key(keys.at(r));
    if (side_by_side) {
      f(r * kTile, lanes.begin + at.ahead + shift, lanes.n);
      continue;
    }
    for (long i = 0; i < lanes.n; i++)
      if (lanes.token[i] >= 0) f(r * kTile + i, at.query(lanes.token[i]) + shift, 1L);
  }
}

// f(at, lane, column) for every pair: score s[at] belongs to this column of by_query (T, 2 c + 1)
template <class E, class F> void for_clipped(const Lanes<E>& lanes, const KeyTile& keys, F&& f) {
  const Standing at(lanes.p, lanes.b);
  const long clip = lanes.p.clip;
  long query[kTile];
  for (long i = 0; i < lanes.n; i++) query[i] = lanes.token[i] >= 0 ? at.query(lanes.token[i]) : 0;
  for (long r = 0; r < keys.count; r++) {
    if (keys.at(r) < 0) continue;
    const long key = at.key(keys.at(r));
    for (long i = 0; i < lanes.n; i++)
      if (lanes.token[i] >= 0) f(r * kTile + i, i, std::clamp(key - query[i], -clip, clip) + clip);
  }
}

// s (count, 64) += log2(e) * bias
template <class E> void add_biases(E* s, const SoftmaxOperands<E>& in, const Lanes<E>& lanes, const KeyTile& keys) {
  const SoftmaxSizes& z = lanes.p.sizes;
  if (in.by_distance)
    for_distances(lanes, keys, [&, bias = in.by_distance + lanes.h * lanes.p.distances](long at, long entry, long n) {
      for (long i = 0; i < n; i++) s[at + i] += E(kLog2e) * bias[entry + i];
    });
  if (in.by_query)
    for_clipped(lanes, keys, [&, bias = in.by_query, w = 2 * lanes.p.clip + 1](long at, long i, long column) {
      s[at] += E(kLog2e) * bias[((lanes.b * z.H + lanes.h) * z.query_tokens + lanes.token[i]) * w + column];
    });
}

// The other way: what the scores' gradient ds (count, 64) is for the biases' entries: dby_distance (distances) of this
// head, dby_query (B, H, T, 2 c + 1); null: not wanted.
template <class E>
void add_bias_gradients(E* dby_distance, E* dby_query, const E* ds, const Lanes<E>& lanes, const KeyTile& keys) {
  const SoftmaxSizes& z = lanes.p.sizes;
  if (dby_distance)
    for_distances(lanes, keys, [&](long at, long entry, long n) {
      for (long i = 0; i < n; i++) dby_distance[entry + i] += ds[at + i];
    });
  if (dby_query)
    for_clipped(lanes, keys, [&, w = 2 * lanes.p.clip + 1](long at, long i, long column) {
      dby_query[((lanes.b * z.H + lanes.h) * z.T + lanes.begin + i) * w + column] += ds[at];
    });
}

// keep (count, 64): 1 / (1 - p) where dropout keeps a pair, 0 elsewhere
template <class E> void draw_keep(E* keep, const Lanes<E>& lanes, const KeyTile& keys) {
  const kernels::Keep& dropout = lanes.p.keep;
  const long ahead = lanes.p.sizes.key_tokens - lanes.p.sizes.query_tokens;
  PhiloxCounters counters;
  Philox4 draws[kPhiloxMany];
  const E scale = E(dropout.scale);
  for (long i = 0; i < kTile; i++) {
    counters.word[0][i] = dropout.key.site + kernels::head_site(lanes.h);
    counters.word[1][i] = dropout.key.sample + uint32_t(lanes.b);
    counters.word[2][i] = uint32_t(lanes.token[i] + ahead);
  }
  long drawn = -1;
  for (long r = 0; r < keys.count; r++) {
    const long key = std::max(0L, keys.at(r)), part = key % 8;
    if (key / 8 != drawn) {  // eight keys share a draw
      drawn = key / 8;
      std::fill_n(counters.word[3], kTile, uint32_t(drawn));
      philox_many(draws, counters, kTile, dropout.key.key());
    }
    for (long i = 0; i < kTile; i++) {
      const uint32_t half = draws[i][size_t(part / 2)] >> (part % 2 * 16) & 0xffff;
      keep[r * kTile + i] = half >= dropout.threshold ? scale : E(0);
    }
  }
}

}  // namespace heed
