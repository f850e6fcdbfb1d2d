// What a backend is told about softmax attention (softmax_engine.h): pointers, sizes and strides, and the slots that it
// fills. No Tensor and no gradient machinery is needed to read this.
//
// Rows and tokens. Usually row i of the queries is token i of its sequence, and so with keys: T = query_tokens and
// S = key_tokens. Only an index (plan.h) sorts tokens anew: then the plan's tiles walk over T x S rows, and row i is
// token query_index[i]. o, L, dy, dL, dq and dby_query lie by rows, everything else by tokens.
#pragma once

#include <cstdint>

#include "attention/engines/token_layout.h"
#include "tensor/kernel.h"
#include "tensor/random.h"

namespace heed {

inline constexpr long kMostHeadChannels = 512;  // of q, k or v: kernels keep a tile of them on the stack
inline constexpr long kFewRanges = 16;          // of a single query, by value
inline constexpr long kMostMergedParts = 64;    // their weights, too

struct KeyRange {
  long first, last;  // none if first > last
};
inline constexpr KeyRange kNoKeys{1, 0};

namespace kernels {

struct SoftmaxSizes {
  long B, H, Hk;                  // samples, heads of queries, heads of keys and values
  long T, S;                      // rows of queries and of keys
  long D, Dv;                     // channels of q and k, channels of v
  long query_tokens, key_tokens;  // T and S, unless there is an index
};

struct SoftmaxStrides {
  TokenStrides q, k, v, o;        // dy has those of o
  TokenStrides dq{}, dk{}, dv{};  // in backward
};

// Numbers for the rows or tokens of a sample, or of a head of it; b, h: elements to the next one, 0 if all share one.
template <class N> struct PerHead {
  const N* data = nullptr;
  long b = 0, h = 0;
  constexpr explicit operator bool() const { return data; }
  constexpr const N* of(long sample, long head = 0) const { return data ? data + sample * b + head * h : nullptr; }
};

// A plan of tiles of 64 queries by 64 keys: plan.h as pointers.
struct PlanTiles {
  const int64_t* begin = nullptr;     // row r of tiles has the entries begin[r] .. begin[r + 1]
  const int32_t* key_tile = nullptr;  // of each entry, in rising order
  const int32_t* bits = nullptr;      // of each entry: -1 (all pairs), or which of
  const uint64_t* tiles = nullptr;    // (count, 64): bit i of word j: query i of the tile sees its key j
  long samples = 1, heads = 1;        // lists: 1 (for all), or one each
  long query_tiles = 0;

  constexpr explicit operator bool() const { return begin; }
  constexpr long row(long b, long h, long query_tile) const {
    return ((samples > 1 ? b : 0) * heads + (heads > 1 ? h : 0)) * query_tiles + query_tile;
  }
  constexpr const uint64_t* words(long entry) const {
    return bits[entry] < 0 ? nullptr : tiles + 64 * long(bits[entry]);
  }
};

// Which pairs are visible: visible.h as pointers. Query i sees key j if everything that is there allows it.
struct Seen {
  PerHead<int32_t> first{}, last{};  // (tokens): the keys first[i] .. last[i]; not there: there is one query, and
  KeyRange few[kFewRanges] = {};     // its keys are few[b * few_b + h * few_h]
  long few_b = 0, few_h = 0;
  PerHead<int32_t> query_labels{}, key_labels{};  // (tokens) each: only keys of the query's label
  PerHead<bool> allow{};                          // (tokens, tokens) by the strides below
  long allow_i = 0, allow_j = 0;
  PlanTiles plan{};  // tiles that are looked at; not there: all that the ranges touch
  // (T) and (S): the token in each row, -1: none; not there: row i is token i
  PerHead<int32_t> query_index{}, key_index{};

  constexpr KeyRange range(long b, long h, long i) const {
    return first ? KeyRange{first.of(b, h)[i], last.of(b, h)[i]} : few[b * few_b + h * few_h];
  }
};

// Which weights dropout keeps (keep.h).
struct Keep {
  long threshold = 0;  // of 16-bit draws; 0: no dropout
  double scale = 1;    // 1 / (1 - p)
  RandomKey key = {};
};

// Where tokens stand, for the biases: (tokens) each. Not there: key j at j, query i at i + key_tokens - query_tokens.
struct Positions {
  PerHead<int32_t> queries{}, keys{};
};

struct SoftmaxProblem {
  SoftmaxSizes sizes;
  SoftmaxStrides stride;
  double scale;        // of <q, k>
  long clip = 0;       // c of by_query
  long distances = 0;  // of by_distance: how many there are, and
  long zero = 0;       // the entry of distance 0; a query at p and a key at j have entry p - j + zero
  Positions positions = {};
  Seen seen;
  Keep keep;
};

template <class E> struct SoftmaxOperands {
  const E *q, *k, *v;    // (B, H, tokens, D), (B, Hk, tokens, D), (B, Hk, tokens, Dv), by their strides
  const E* by_distance;  // (H, distances) or null
  const E* by_query;     // (B, H, tokens, 2 c + 1) or null
};

// o (B, H, T, Dv) by its strides, L (B, H, T)
template <class E>
inline Kernel<void(E* o, E* L, const SoftmaxOperands<E>& in, const SoftmaxProblem& p)> softmax_attention{
    "softmax_attention"};

template <class E> struct SoftmaxSaved : SoftmaxOperands<E> {
  const E *o, *L;  // of forward
};
template <class E> struct SoftmaxGradients {
  E *dq, *dk, *dv;  // (B, H, T, D), (B, Hk, tokens, D), (B, Hk, tokens, Dv), by their strides
  E* dby_distance;  // as by_distance; null: not wanted
  E* dby_query;     // (B, H, T, 2 c + 1), zeros before the call; null: not wanted
};
// dy as o, dL (B, H, T) or null
template <class E>
inline Kernel<void(const SoftmaxGradients<E>& grads, const E* dy, const E* dL, const SoftmaxSaved<E>& saved,
                   const SoftmaxProblem& p, void* workspace)>
    softmax_attention_backward{"softmax_attention"};
template <class E> inline Kernel<long(const SoftmaxProblem& p)> softmax_attention_workspace{"softmax_attention"};

// ---- merge: R parts of one attention become the whole

struct MergeSizes {
  long B = 0, H = 0, T = 0, Dv = 0, R = 0;
};
template <class E> struct MergePart {
  const E *o, *L;  // (B, H, T, Dv) by its strides, (B, H, T)
  TokenStrides stride;
  constexpr long at(long b, long h, long t) const { return b * stride.b + h * stride.h + t * stride.t; }
};
template <class E> struct MergeGradient {
  E *dy, *dL;  // (B, T, H, Dv), (B, H, T)
};
// The first R of each are there. By value: a list of pointers is nothing that another device could read.
template <class E> struct MergeParts { MergePart<E> of[kMostMergedParts]; };
template <class E> struct MergeGradients { MergeGradient<E> of[kMostMergedParts]; };
// o (B, T, H, Dv), L (B, H, T)
template <class E>
inline Kernel<void(E* o, E* L, const MergeParts<E>& parts, const MergeSizes& z)> softmax_merge{"merge"};
// dy (B, T, H, Dv), dL (B, H, T) or null
template <class E>
inline Kernel<void(const MergeGradients<E>& grads, const E* dy, const E* dL, const MergeParts<E>& parts,
                   const MergeSizes& z)>
    softmax_merge_backward{"merge"};

}  // namespace kernels
}  // namespace heed
