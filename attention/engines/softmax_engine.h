// Engine 1: softmax attention over the visible pairs, exactly, in O(n) memory. It walks tiles of 64 queries by 64 keys
// and keeps for every query a running maximum, a running sum and what it has collected (the online softmax), so that no
// (T, S) matrix ever exists:
//
//   s_ij = scale <q_i, k_j> + bias_ij,   L_i = log sum_j exp(s_ij),   o_i = sum_j exp(s_ij - L_i) v_j   over visible j
//
// A query that sees nothing gets o = 0 and L = -infinity, and no gradient. Tiles without a visible pair are skipped,
// tiles of which all pairs are visible are not looked at pair by pair. What a query does not see cannot harm it: a NaN
// or an infinity in a hidden key or value reaches neither o nor dq. The same bits for any number of threads.
// (FlashAttention: Dao et al., 2022.) How it works: attention/engines/README.md, from a plain loop to the tiles.
#pragma once

#include <vector>

#include "attention/engines/softmax_kernels.h"
#include "attention/seeing/plan.h"
#include "attention/seeing/visible.h"
#include "autograd/variable.h"

namespace heed {

void check_head_channels(const char* op, long D, long Dv);  // throws if a head is wider than kMostHeadChannels

// Any strides, as long as the last axis is dense: (B, T, H, D) in memory, seen as (B, H, T, D), is usual.
struct SoftmaxInputs {
  Variable q;  // (B, H, T, D)
  Variable k;  // (B, Hk, S, D); Hk divides H: each head of k and v serves H / Hk heads of q
  Variable v;  // (B, Hk, S, Dv)
  // Biases, added after scaling; undefined: none. A query stands at position p = i + S - T.
  Variable by_distance{};  // (H, T + S - 1): the bias is by_distance[h, p - j + T - 1]
  Variable by_query{};     // (B, H, T, 2 c + 1): the bias is by_query[b, h, i, clip(j - p, -c, c) + c]
  // Where tokens stand for the biases, if not at p and j: i32 (1 or B, T) and (1 or B, S), both or none. Several may
  // stand at one place. by_distance is then (H, 2 m + 1), m at least the largest distance: its middle is distance 0,
  // the bias by_distance[h, p_i - p_j + m]. Who sees whom and dropout go on by i and j.
  Tensor query_positions{}, key_positions{};
};

// The largest |p_i - p_j| of a query and a key of one sample, 0 if there are none.
long largest_distance(const Tensor& query_positions, const Tensor& key_positions);

struct SoftmaxOptions {
  double scale = 0;     // 0: 1 / sqrt(D)
  double dropout = 0;   // of the weights exp(s - L)
  RandomKey key = {};   // for dropout, which is drawn by sample, head, position of the query and key: keep.h
  long first_head = 0;  // the number of the first head, if these are some of a whole: they draw as they would in it
};

struct SoftmaxOutputs {
  Variable o;  // (B, H, T, Dv), in memory (B, T, H, Dv); with an index by places, not tokens (plan.h)
  Variable L;  // (B, H, T); both take gradients
};
SoftmaxOutputs softmax_attention(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options = {});

// Results by places (plan.h) -> by tokens. places: i32 (1 or B, 1 or H, T), where each token's row is; -1: nowhere, as
// if it had seen nothing. One order for all heads leaves o as it lies in memory, (B, T, H, Dv).
SoftmaxOutputs by_tokens(const SoftmaxOutputs& by_places, const Tensor& places);

// Parts of one attention over keys that do not overlap become the whole:
//
//   L = log sum_r exp(L_r),   o = sum_r w_r o_r,   w_r = exp(L_r - m) / sum_s exp(L_s - m),   m = max_r L_r
//
// The weights are divided by their own sum: exp(L_r - L) is the same on paper, but in f32 L is rounded, near -1e5 to
// steps of 0.008, and so the weights would sum to 0.997 or 1.003. A part that saw nothing (L_r = -infinity) counts for
// nothing. Under dropout a draw depends on key, sample, head and the numbers i and j alone (keep.h). Parts of the same
// keys, in which no pair (i, j) comes twice, share one key: they draw as the whole would. Where numbers come again with
// another meaning (other keys, rounds that overlap), every part needs a key of its own, ctx.random once for each:
// otherwise (i, j) would be dropped in all parts or in none.
SoftmaxOutputs merge(const std::vector<SoftmaxOutputs>& parts);
SoftmaxOutputs merge_reference(const std::vector<SoftmaxOutputs>& parts);  // by plain ops: the definition

// The same by dense matrices in plain ops: the definition. For small T and S.
SoftmaxOutputs softmax_attention_reference(const SoftmaxInputs& in, const Visible& visible,
                                           const SoftmaxOptions& options = {});
// Its weights exp(s - L), (B, H, T, S), without dropout: for pictures and tests.
Tensor softmax_attention_weights(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options = {});

}  // namespace heed
