// Who sees whom in a tile of queries by keys, for the kernels of the softmax engine: what ranges, labels, masks, plans
// and indices say of a pair (attention/engines/softmax_kernels.h), its bias, and whether dropout keeps its weight. What
// belongs to a row is read once per tile into shared memory, and a pair is asked for from there.
#pragma once

#include <climits>

#include "attention/engines/keep_kernels.h"
#include "attention/engines/softmax_kernels.h"
#include "cuda/reduce.cuh"
#include "cuda/softmax_tile.cuh"
#include "system/ceil_div.h"

namespace heed::cuda {

using kernels::SoftmaxOperands;
using kernels::SoftmaxProblem;

inline constexpr double kLog2e = 1.44269504088896340736, kLog2 = 0.69314718055994530942;  // scores: in units of log 2

struct Head {
  long b, h;
  __device__ long number(const SoftmaxProblem& p) const { return b * p.sizes.H + h; }
  __device__ long of_keys(const SoftmaxProblem& p) const { return h / (p.sizes.H / p.sizes.Hk); }
};
template <class E> __device__ E* at(E* x, const kernels::TokenStrides& stride, long b, long h) {
  return x + b * stride.b + h * stride.h;
}

// ---- rows of a tile

struct QueryRows {
  int token[kTile];  // -1: none
  int row[kTile];    // of o and dy; -1: there is no token
  int first[kTile], last[kTile], label[kTile], position[kTile];
};
struct KeyRows {
  int token[kTile];  // -1: none
  int label[kTile], position[kTile];
  uint64_t word[kTile];  // of the plan: which queries of its tile see this key
};

// The rows begin .. begin + count of the queries of a head
__device__ inline void load_queries(QueryRows& to, const SoftmaxProblem& p, const Head& head, long begin, int count) {
  const int32_t *index = p.seen.query_index.of(head.b, head.h), *labels = p.seen.query_labels.of(head.b);
  const int32_t* positions = p.positions.queries.of(head.b);
  for (int i = int(threadIdx.x); i < count; i += kTileThreads) {
    const long row = begin + i;
    const int token = row >= p.sizes.T ? -1 : index ? index[row] : int(row);
    const KeyRange range = token >= 0 ? p.seen.range(head.b, head.h, token) : kNoKeys;
    to.token[i] = token, to.row[i] = token >= 0 ? int(row) : -1;
    to.first[i] = int(range.first), to.last[i] = int(range.last);
    to.label[i] = token >= 0 && labels ? labels[token] : 0;
    const int plain = token + int(p.sizes.key_tokens - p.sizes.query_tokens);
    to.position[i] = token >= 0 && positions ? positions[token] : plain;
  }
}

// The rows begin .. begin + count of its keys
__device__ inline void load_keys(KeyRows& to, const SoftmaxProblem& p, const Head& head, long begin, int count) {
  const int32_t *index = p.seen.key_index.of(head.b, head.h), *labels = p.seen.key_labels.of(head.b);
  const int32_t* positions = p.positions.keys.of(head.b);
  for (int j = int(threadIdx.x); j < count; j += kTileThreads) {
    const long row = begin + j;
    const int token = row >= p.sizes.S ? -1 : index ? index[row] : int(row);
    to.token[j] = token;
    to.label[j] = token >= 0 && labels ? labels[token] : 0;
    to.position[j] = token >= 0 && positions ? positions[token] : token;
  }
}
// and what an entry of the plan says of them; words: null if it allows all pairs
__device__ inline void load_words(KeyRows& to, const uint64_t* words, int count) {
  for (int j = int(threadIdx.x); j < count; j += kTileThreads) to.word[j] = words ? words[j] : ~uint64_t(0);
}

// Which keys some queries see: all, and none of them, to tell at once
struct Bounds {
  int least_first, most_last;  // over those that see something
  int most_first, least_last;  // over all

  // Does one of them see a key of begin .. begin + count, and do all see all of them?
  __device__ bool touches(long begin, int count) const { return least_first < begin + count && most_last >= begin; }
  __device__ bool covers(long begin, int count) const { return most_first <= begin && least_last >= begin + count - 1; }
};

// Of the first n rows, in every thread; each warp computes it by itself.
__device__ inline Bounds bounds_of(const QueryRows& rows, int n) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  const auto most = [](int a, int b) { return a > b ? a : b; };
  Bounds all{INT_MAX, -1, 0, INT_MAX};
  for (int i = int(threadIdx.x) % 32; i < n; i += 32) {
    const int first = rows.first[i], last = rows.last[i];
    all.most_first = most(all.most_first, first), all.least_last = least(all.least_last, last);
    if (first > last) continue;
    all.least_first = least(all.least_first, first), all.most_last = most(all.most_last, last);
  }
  all.least_first = over_warp(all.least_first, least), all.most_last = over_warp(all.most_last, most);
  all.most_first = over_warp(all.most_first, most), all.least_last = over_warp(all.least_last, least);
  return all;
}

// May all pairs of a tile be visible, as far as labels, masks and an index do not speak?
__device__ inline bool only_ranges(const SoftmaxProblem& p) {
  return !p.seen.key_labels && !p.seen.allow && !p.seen.key_index;
}

// How many of a block's own rows are there
template <class E> __device__ int rows_left(long rows, long begin) {
  return rows - begin < kOwn<E> ? int(rows - begin) : kOwn<E>;
}

// The tiles of 64 keys that a block of queries looks at: entries of the plan, or, where there is none, all tiles that
// their ranges touch.
struct KeyTiles {
  const SoftmaxProblem& p;
  Bounds bounds;
  long first, end;

  __device__ KeyTiles(const SoftmaxProblem& problem, const Head& head, long begin, const Bounds& seen)
      : p(problem), bounds(seen) {
    const kernels::PlanTiles& plan = p.seen.plan;
    const long row = plan ? plan.row(head.b, head.h, begin / kTile) : 0;
    const long behind = seen.most_last < p.sizes.key_tokens ? long(seen.most_last) + 1 : p.sizes.key_tokens;
    first = plan ? plan.begin[row] : seen.least_first < 0 ? 0 : seen.least_first / kTile;
    end = plan ? plan.begin[row + 1] : ceil_div(behind, kTile);
  }
  __device__ long key(long e) const {  // the first row of the tile, or -1 if no query sees one
    const long row = (p.seen.plan ? long(p.seen.plan.key_tile[e]) : e) * kTile;
    const bool seen = p.seen.key_index ? bounds.least_first <= bounds.most_last : bounds.touches(row, kTile);
    return seen ? row : -1;
  }
  __device__ const uint64_t* words(long e) const { return p.seen.plan ? p.seen.plan.words(e) : nullptr; }
  __device__ bool full(long e, long key) const {  // all pairs are visible
    return only_ranges(p) && bounds.covers(key, kTile) && key + kTile <= p.sizes.S && !words(e);
  }
};

// ---- pairs of a tile

// The pairs of a tile of one head: query i, key j of the tile.
template <class E> struct Pairs {
  const SoftmaxProblem& p;
  Head head;
  const QueryRows& queries;
  const KeyRows& keys;
  int shift;             // where query 0 stands in the plan's tile
  const E* by_distance;  // (distances) of this head or null
  const E* by_query;     // (tokens, 2 c + 1) of this head or null
  const bool* allow;     // (tokens, tokens) by its strides or null
  bool labels;

  __device__ Pairs(const SoftmaxProblem& problem, const SoftmaxOperands<E>& in, const Head& which,
                   const QueryRows& query_rows, const KeyRows& key_rows, int first_query)
      : p(problem),
        head(which),
        queries(query_rows),
        keys(key_rows),
        shift(first_query),
        by_distance(in.by_distance ? in.by_distance + head.h * p.distances : nullptr),
        by_query(in.by_query ? in.by_query + head.number(p) * p.sizes.query_tokens * (2 * p.clip + 1) : nullptr),
        allow(p.seen.allow.of(head.b, head.h)),
        labels(bool(p.seen.key_labels)) {}

  __device__ bool biased() const { return by_distance || by_query; }

  __device__ bool sees(int i, int j) const {
    const int key = keys.token[j];
    return key >= 0 && key >= queries.first[i] && key <= queries.last[i] && (keys.word[j] >> (shift + i) & 1) &&
           (!labels || keys.label[j] == queries.label[i]) &&
           (!allow || allow[queries.token[i] * p.seen.allow_i + key * p.seen.allow_j]);
  }

  __device__ int clipped(int i, int j) const {  // column of by_query
    const int c = int(p.clip), way = keys.position[j] - queries.position[i];
    return (way < -c ? -c : way > c ? c : way) + c;
  }
  __device__ long distance(int i, int j) const {  // entry of by_distance
    return long(queries.position[i]) - keys.position[j] + p.zero;
  }
  __device__ E bias(int i, int j) const {
    E sum = 0;
    if (by_distance) sum += by_distance[distance(i, j)];
    if (by_query) sum += by_query[queries.token[i] * (2 * p.clip + 1) + clipped(i, j)];
    return sum * E(kLog2e);
  }
};

// Which pairs of a thread are visible, and which weights dropout keeps, as bits: pair (i, x) is bit i * kPairsEach + x.
// These loops are not unrolled, for they would want more registers than there are beside the sums.
template <bool kOwnQueries, class E> __device__ uint32_t seen_pairs(const Pairs<E>& pairs) {
  uint32_t bits = 0;
#pragma unroll 1
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll 1
    for (int x = 0; x < kPairsEach; x++) {
      const int own = own_at<E>(i), other = column_at(x);
      const bool sees = pairs.sees(kOwnQueries ? own : other, kOwnQueries ? other : own);
      bits |= uint32_t(sees) << (i * kPairsEach + x);
    }
  return bits;
}

// s (own, other) of a tile: the biases are added, and what is hidden gets -infinity. The biases of a thread go through
// its own cells of the weights in shared memory, which nobody needs now.
template <bool kOwnQueries, class E>
__device__ void bias_and_hide(E (&s)[kOwnEach<E>][kPairsEach], TileMemory<E>& memory, const Pairs<E>& pairs) {
  const uint32_t seen = seen_pairs<kOwnQueries>(pairs);
#pragma unroll 1
  for (int pair = 0; pairs.biased() && pair < kOwnEach<E> * kPairsEach; pair++) {
    const int own = own_at<E>(pair / kPairsEach), other = column_at(pair % kPairsEach);
    if (seen >> pair & 1) *memory.weight(own, other) = pairs.bias(kOwnQueries ? own : other, kOwnQueries ? other : own);
  }
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int x = 0; x < kPairsEach; x++) {
      const bool sees = seen >> (i * kPairsEach + x) & 1;
      if (sees && pairs.biased()) s[i][x] += *memory.weight(own_at<E>(i), column_at(x));
      if (!sees) s[i][x] = kNothing<E>;
    }
}

// Eight keys share a draw: the last one that was made.
struct Draws {
  int group = -1;
  Philox4 words = {};

  template <class E> __device__ bool keeps(const Pairs<E>& pairs, int query, int key) {
    const kernels::Keep& keep = pairs.p.keep;
    if (key >> 3 != group) {
      group = key >> 3;
      const uint32_t position = uint32_t(query + int(pairs.p.sizes.key_tokens - pairs.p.sizes.query_tokens));
      words = philox({keep.key.site + kernels::head_site(pairs.head.h), keep.key.sample + uint32_t(pairs.head.b),
                      position, uint32_t(group)},
                     keep.key.key());
    }
    const uint32_t low = key & 2 ? words[1] : words[0], high = key & 2 ? words[3] : words[2];
    return ((key & 4 ? high : low) >> (key % 2 * 16) & 0xffff) >= uint32_t(keep.threshold);
  }
};

template <bool kOwnQueries, class E> __device__ uint32_t kept_pairs(const Pairs<E>& pairs) {
  constexpr int kQueries = kOwnQueries ? kOwnEach<E> : kPairsEach, kKeys = kOwnQueries ? kPairsEach : kOwnEach<E>;
  uint32_t bits = 0;
#pragma unroll 1
  for (int i = 0; i < kQueries; i++) {
    Draws draws;
    const int query = pairs.queries.token[kOwnQueries ? own_at<E>(i) : column_at(i)];
#pragma unroll 1
    for (int j = 0; j < kKeys; j++) {
      const int token = pairs.keys.token[kOwnQueries ? column_at(j) : own_at<E>(j)];
      const bool keeps = draws.keeps(pairs, query, token < 0 ? 0 : token);
      bits |= uint32_t(keeps) << (kOwnQueries ? i * kPairsEach + j : j * kPairsEach + i);
    }
  }
  return bits;
}

// x (own, other) of a tile: times 1 / (1 - p) where dropout keeps a pair, 0 elsewhere
template <bool kOwnQueries, class E> __device__ void drop(E (&x)[kOwnEach<E>][kPairsEach], const Pairs<E>& pairs) {
  const uint32_t kept = kept_pairs<kOwnQueries>(pairs);
  const E scale = E(pairs.p.keep.scale);
#pragma unroll
  for (int i = 0; i < kOwnEach<E>; i++)
#pragma unroll
    for (int j = 0; j < kPairsEach; j++) x[i][j] = kept >> (i * kPairsEach + j) & 1 ? x[i][j] * scale : E(0);
}

// 2^x for x <= 0, and 0 below 2^-64 in f32, as on the cpu (tensor/maths.h)
__device__ inline float weight_of(float x) { return x < -64.f ? 0.f : exp2f(x); }
__device__ inline double weight_of(double x) { return exp2(x); }

}  // namespace heed::cuda
