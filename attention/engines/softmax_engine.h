// Engine 1: softmax attention over the visible pairs, exactly, in O(n) memory. It walks tiles of 64 queries by 64 keys
// and keeps for every query a running maximum, a running sum and what it has collected (the online softmax), so that no
// (T, S) matrix ever exists:
//
//   s_ij = scale <q_i, k_j> + bias_ij,   L_i = log sum_j exp(s_ij),   o_i = sum_j exp(s_ij - L_i) v_j   over visible j
//
// A query that sees nothing gets o = 0 and L = -infinity, and no gradient. Tiles without a visible pair are skipped,
// tiles of which all pairs are visible are not looked at pair by pair. What a query does not see cannot harm it: a NaN
// or an infinity in a hidden key or value reaches neither o nor dq. The same bits for any number of threads.
// (FlashAttention: Dao et al., 2022.)
#pragma once

#include "attention/seeing/plan.h"
#include "attention/seeing/visible.h"
#include "autograd/variable.h"
#include "tensor/kernel.h"
#include "tensor/random.h"

namespace heed {

inline constexpr long kMostHeadChannels = 512;              // of q, k or v
void check_head_channels(const char* op, long D, long Dv);  // throws if a head is wider

// Any strides, as long as the last axis is dense: (B, T, H, D) in memory, seen as (B, H, T, D), is usual.
struct SoftmaxInputs {
  Variable q;  // (B, H, T, D)
  Variable k;  // (B, Hk, S, D); Hk divides H: each head of k and v serves H / Hk heads of q
  Variable v;  // (B, Hk, S, Dv)
  // Biases, added after scaling; undefined: none. A query stands at position p = i + S - T.
  Variable by_distance{};  // (H, T + S - 1): the bias is by_distance[h, p - j + T - 1]
  Variable by_query{};     // (B, H, T, 2 c + 1): the bias is by_query[b, h, i, clip(j - p, -c, c) + c]
};

struct SoftmaxOptions {
  double scale = 0;    // 0: 1 / sqrt(D)
  double dropout = 0;  // of the weights exp(s - L)
  RandomKey key = {};  // for dropout, which is drawn by sample, head, position of the query and key: keep.h
};

struct SoftmaxOutputs {
  Variable o;  // (B, H, T, Dv), in memory (B, T, H, Dv); T: places, if the plan has an index (plan.h)
  Variable L;  // (B, H, T); both take gradients
};
SoftmaxOutputs softmax_attention(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options = {});

// Parts of one attention over keys that do not overlap become the whole: L = log sum_r exp(L_r) and
// o = sum_r exp(L_r - L) o_r. A part that saw nothing (L_r = -infinity) counts for nothing.
SoftmaxOutputs merge(const std::vector<SoftmaxOutputs>& parts);

// The same by dense matrices in plain ops: the definition. For small T and S.
SoftmaxOutputs softmax_attention_reference(const SoftmaxInputs& in, const Visible& visible,
                                           const SoftmaxOptions& options = {});
// Its weights exp(s - L), (B, H, T, S), without dropout: for pictures and tests.
Tensor softmax_attention_weights(const SoftmaxInputs& in, const Visible& visible, const SoftmaxOptions& options = {});

// ---- for the backends
namespace kernels {

struct TokenStrides {  // elements from one sample, head or token to the next; channels are dense
  long b = 0, h = 0, t = 0;
};

struct SoftmaxSizes {
  long B, H, Hk, T, S, D, Dv;     // o, L and dq have T rows: places
  long query_tokens, key_tokens;  // q, k, v and all below speak of tokens; T and S if the plan has no index
  double scale;
  TokenStrides q, k, v, o;  // dy has those of o
  TokenStrides dq, dk, dv;  // in backward
  // visible.h, as pointers; null where there is nothing
  const int32_t *first, *last;
  long range_b;
  const int32_t *query_labels, *key_labels;
  long query_labels_b, key_labels_b;
  const bool* allow;
  long allow_b, allow_h, allow_i, allow_j;
  const Plan* plan = nullptr;
  const int32_t *query_index = nullptr, *key_index = nullptr;  // null: place i is token i
  long query_index_b = 0, query_index_h = 0, key_index_b = 0, key_index_h = 0;
  long clip = 0;           // c of by_query
  uint32_t threshold = 0;  // of dropout; 0: none
  double keep_scale = 1;   // 1 / (1 - p)
  RandomKey key = {};
};

// o by its strides, L (B, H, T); by_distance (H, T + S - 1), by_query (B, H, T, 2 c + 1), by tokens, or null
template <class E>
inline Kernel<void(E* o, E* L, const E* q, const E* k, const E* v, const E* by_distance, const E* by_query,
                   const SoftmaxSizes& s)>
    softmax_attention{"softmax_attention"};

// dL (B, H, T) or null; dby_distance and dby_query are null where they are not wanted, dby_query is zero before the
// call. dq and dby_query lie by places, dk and dv by tokens.
template <class E> struct SoftmaxGradients { E *dq, *dk, *dv, *dby_distance, *dby_query; };
template <class E> struct SoftmaxSaved { const E *q, *k, *v, *o, *L, *by_distance, *by_query; };
template <class E>
inline Kernel<void(const SoftmaxGradients<E>& grads, const E* dy, const E* dL, const SoftmaxSaved<E>& saved,
                   const SoftmaxSizes& s, void* workspace)>
    softmax_attention_backward{"softmax_attention"};
template <class E> inline Kernel<long(const SoftmaxSizes& s)> softmax_attention_workspace{"softmax_attention"};

}  // namespace kernels

}  // namespace heed
