// What the kernels of the softmax engine's backward pass share: where they keep what they prepare, and what a block
// does with one tile of pairs.
#pragma once

#include <algorithm>

#include "cuda/softmax_seen.cuh"

namespace heed::cuda {

using kernels::SoftmaxGradients;
using kernels::SoftmaxSaved;

// In how many parts of a head the sums of dby_distance are made: a block goes through several tiles of queries, so that
// the parts (H, parts, distances) stay small.
template <class E> long distance_parts(const SoftmaxProblem& p) {
  constexpr long kMost = 512;
  return std::min(p.sizes.B * ceil_div(p.sizes.T, kOwn<E>), std::max(1L, kMost / p.sizes.H));
}

template <class E> struct Workspace {
  E *L, *delta;    // (B, H, T): of each row
  E* distances;    // (H, parts, distances)
  E *dk, *dv;      // with an index of the keys: (B, H, S, D) and (B, H, S, Dv)
  Bounds* bounds;  // (B, H, tiles of 64 queries)
  long bytes;

  Workspace(const SoftmaxProblem& p, void* memory) {
    const auto& z = p.sizes;
    const long rows = z.B * z.H * z.T, key_rows = p.seen.key_index ? z.B * z.H * z.S : 0;
    L = static_cast<E*>(memory), delta = L + rows, distances = delta + rows;
    dk = distances + (p.distances ? z.H * distance_parts<E>(p) * p.distances : 0);
    dv = dk + key_rows * z.D;
    bounds = reinterpret_cast<Bounds*>(dv + key_rows * z.Dv);
    bytes = reinterpret_cast<char*>(bounds + z.B * z.H * ceil_div(z.T, kTile)) - static_cast<char*>(memory);
  }
};

// L and delta of a tile of queries
template <class E> struct RowNumbers { E L[kTile], delta[kTile]; };

template <class E>
__device__ void load_numbers(RowNumbers<E>& to, const Workspace<E>& prepared, const SoftmaxProblem& p, const Head& head,
                             long begin, int count) {
  for (int i = int(threadIdx.x); i < count; i += kTileThreads) {
    const long place = head.number(p) * p.sizes.T + begin + i;
    const bool there = begin + i < p.sizes.T;
    to.L[i] = there ? prepared.L[place] : -kNothing<E>, to.delta[i] = there ? prepared.delta[place] : E(0);
  }
}

// The rows of one head
template <class E> struct Operands {
  RowsAt<E> q, k, v, dy;

  __device__ Operands(const SoftmaxOperands<E>& in, const E* d, const SoftmaxProblem& p, const Head& head,
                      const QueryRows& queries, const KeyRows& keys)
      : q{at(in.q, p.stride.q, head.b, head.h), p.stride.q.t, queries.token},
        k{at(in.k, p.stride.k, head.b, head.of_keys(p)), p.stride.k.t, keys.token},
        v{at(in.v, p.stride.v, head.b, head.of_keys(p)), p.stride.v.t, keys.token},
        dy{at(d, p.stride.o, head.b, head.h), p.stride.o.t, queries.row} {}
};

// ---- one tile of pairs; s and ds are (own, other)

// s -> p = 2^(s - L), 0 where a pair is hidden
template <bool kOwnQueries, class E>
__device__ void weights_from(E (&s)[kOwnEach<E>][kPairsEach], TileMemory<E>& memory, const Pairs<E>& pairs,
                             const RowNumbers<E>& numbers, bool hidden) {
  if (hidden || pairs.biased()) bias_and_hide<kOwnQueries>(s, memory, pairs);
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < kPairsEach; x++) {
      s[i][x] = weight_of(s[i][x] - numbers.L[kOwnQueries ? own_at<E>(i) : column_at(x)]);
    }
}

// ds = <dy, v> -> p (keep ds - delta)
template <bool kOwnQueries, class E>
__device__ void score_gradients(E (&ds)[kOwnEach<E>][kPairsEach], const E (&weights)[kOwnEach<E>][kPairsEach],
                                const Pairs<E>& pairs, const RowNumbers<E>& numbers) {
  if (pairs.p.keep.threshold) drop<kOwnQueries>(ds, pairs);
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < kPairsEach; x++) {
      const E delta = numbers.delta[kOwnQueries ? own_at<E>(i) : column_at(x)];
      ds[i][x] = weights[i][x] == 0 ? E(0) : weights[i][x] * (ds[i][x] - delta);
    }
}

// What a tile of queries adds to W channels of dv or dk of a block's own keys
template <int W, class E>
__device__ void add_key_tile(E (&sum)[kOwnEach<E>][W / 8], TileMemory<E>& memory, const Operands<E>& x,
                             const Pairs<E>& pairs, const RowNumbers<E>& numbers, bool hidden, bool of_values,
                             long slice, int& piece) {
  const auto& z = pairs.p.sizes;
  E s[kOwnEach<E>][kPairsEach] = {};
  add_scores(s, memory, x.k, x.q, z.D, E(pairs.p.scale * kLog2e));
  weights_from<false>(s, memory, pairs, numbers, hidden);
  if (of_values) {
    if (pairs.p.keep.threshold) drop<false>(s, pairs);
    keep_weights(memory, s);
  } else {
    E ds[kOwnEach<E>][kPairsEach] = {};
    add_scores(ds, memory, x.v, x.dy, z.Dv, E(1));
    score_gradients<false>(ds, s, pairs, numbers);
    keep_weights(memory, ds);
  }
  const RowsAt<E> rows{of_values ? x.dy.x : x.q.x, of_values ? x.dy.stride : x.q.stride,
                       of_values ? x.dy.row : x.q.row};
  add_results<W>(sum, memory, rows, slice * W, of_values ? z.Dv : z.D, hidden, piece);
}

// to (rows, channels) at the block's own rows = factor * sum, the slice's channels
template <int W, class E>
__device__ void write_rows(E* to, long stride, const E (&sum)[kOwnEach<E>][W / 8], E factor, long begin, long rows,
                           long slice, long channels) {
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < W / 8; x++) {
      const long row = begin + own_at<E>(i), c = slice * W + column_at(x);
      if (row < rows && c < channels) to[row * stride + c] = sum[i][x] * factor;
    }
}

// ---- biases; ds (64 keys, own queries) in shared memory

// part (distances) of a block += ds. Where tokens stand side by side an entry is a diagonal, and a thread has one;
// elsewhere a thread looks for the pairs of its own entries. ahead: the first query's row - the first key's
template <class E> __device__ void add_distances(E* part, const E* ds, const Pairs<E>& pairs, long ahead) {
  const SoftmaxProblem& p = pairs.p;
  constexpr int kRow = kOwn<E> + kGap;
  const int t = int(threadIdx.x);
  if (!p.positions.queries && !p.seen.query_index && !p.seen.key_index) {
    const long entry = ahead + t - (kTile - 1) + p.sizes.key_tokens - p.sizes.query_tokens + p.zero;
    E sum = 0;
#pragma unroll 1
    for (int j = 0; j < kTile; j++) {
      const int i = t - (kTile - 1) + j;
      if (i >= 0 && i < kOwn<E>) sum += ds[j * kRow + i];
    }
    if (t < kOwn<E> + kTile - 1 && entry >= 0 && entry < p.distances) part[entry] += sum;
    return;
  }
#pragma unroll 1
  for (int j = 0; j < kTile; j++)
#pragma unroll 1
    for (int i = 0; i < kOwn<E>; i++) {
      const long entry = pairs.distance(i, j);
      const bool own = pairs.keys.token[j] >= 0 && pairs.queries.token[i] >= 0 && entry % kTileThreads == t;
      if (own) part[entry] += ds[j * kRow + i];
    }
}

// dby_query (B, H, T, 2 c + 1) += ds: a thread has a query, whose keys mostly fall into the same column in runs
template <class E> __device__ void add_clipped(E* dby_query, const E* ds, const Pairs<E>& pairs) {
  const SoftmaxProblem& p = pairs.p;
  const int i = int(threadIdx.x);
  if (i >= kOwn<E> || pairs.queries.row[i] < 0) return;
  E* to = dby_query + (pairs.head.number(p) * p.sizes.T + pairs.queries.row[i]) * (2 * p.clip + 1);
  int column = 0;
  E sum = 0;
#pragma unroll 1
  for (int j = 0; j < kTile; j++) {
    if (pairs.keys.token[j] < 0) continue;
    const int next = pairs.clipped(i, j);
    if (next != column) {
      to[column] += sum;
      column = next, sum = 0;
    }
    sum += ds[j * (kOwn<E> + kGap) + i];
  }
  to[column] += sum;
}

}  // namespace heed::cuda
