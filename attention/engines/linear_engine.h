// Engine 2: linear attention. The weight of a pair is a product of features, a_ij = <q_i, k_j>, instead of its
// exponential, and so the sum over the keys can be taken first:
//
//   o_i = sum_j a_ij v_j / (sum_j a_ij + epsilon) = q_i S / (q_i z + epsilon),   S = sum_j k_j v_j^T,   z = sum_j k_j
//
// Time O(n F Dv), memory O(n): no pair is ever looked at. With a causal mask S and z are sums over j <= i. The sequence
// is cut into pieces of 64 tokens: what is before a piece is one S for all of it, inside of it the pairs are taken one
// by one,
//
//   N = Q S + tril(Q K^T) V,   den = Q z + rowsum(tril(Q K^T)),   then S += K^T V,   z += colsum(K)
//
// Pieces of one token would be a recurrent network, one piece for all is the quadratic form: all give the same. A State
// is S and z: O(1) memory however long the text is. A query that sees nothing gives zeros. Features must not be
// negative, or the denominator may vanish; they are made before, so that a variant is its feature map:
//
//   o = linear_attention({elu_features(q), elu_features(k), v}, {.causal = true});
//
// Backward takes O(n) memory: it keeps o and one number per query, and makes S again on a walk forwards for dq; a walk
// backwards with what the queries ask for gives dk and dv (cpu/linear_backward.cpp).
//
// What holds to the last bit: a later token changes nothing in the results of those before it, nor in their gradients
// if the loss looks at no later ones; results do not depend on the number of threads. NaN and infinities: padding may
// be anything; with a causal mask what is in a later token does not reach earlier o, and in another segment not at all.
// Gradients are less well hidden: dy = 0 times a query or an o that is NaN is NaN, and goes to all keys before it.
//
// (Linear Transformer: Katharopoulos et al., 2020; Performer: Choromanski et al., 2020.)
#pragma once

#include "nn/context.h"

namespace heed {

struct LinearInputs {
  Variable q;  // (B, H, T, F) features; any strides, usually (B, T, H, F) in memory
  Variable k;  // (B, Hk, S, F) features; Hk divides H
  Variable v;  // (B, Hk, S, Dv)
};

// Epsilon keeps the denominator from 0. It is not scaled, so it must be far below sum_j a_ij: features of 1e-20 vanish
// beside 1e-6. With epsilon 0 features of any size give the same result, and where the denominator is 0 the result is
// zeros and has no gradient.
struct LinearOptions {
  bool causal = false;  // queries are the last T of S positions: query i sees the keys up to i + S - T
  Tensor lengths{};     // (B) i64: sample b has so many keys; undefined: all. Keys and values beyond count as 0
  // (B, S) i64, T <= S: tokens see only their own segment, and query i is of that of position i + S - T. A segment is
  // one run of tokens: sums start anew where it changes. Undefined: one segment
  Tensor segments{};
  double epsilon = 1e-6;   // >= 0
  Context* ctx = nullptr;  // keeps what kernels are told of the tokens for the other layers; null: nobody does
};

// What the keys so far add up to. A copy is a second state that goes its own way, as for the hypotheses of a beam.
struct LinearState {
  Tensor sums{};    // (B, Hk, F, Dv + 1): S, and z as the last column; undefined: nothing yet
  long length = 0;  // tokens so far
};

// (B, H, T, Dv), in memory (B, T, H, Dv). With a state (causal only): the T = S tokens go on where it ends, see what it
// holds, and are added to it. Lengths and segments speak of positions from the first token of all: segments are
// (B, state->length + T). No gradient flows into what was before. Up to four tokens at a time are taken one by one.
Variable linear_attention(const LinearInputs& in, const LinearOptions& options = {}, LinearState* state = nullptr);

// A source that is asked again and again, as in the decoder of a translation: its keys and values are added up once,
// and then o = linear_attention_from(q, source) is linear_attention({q, k, v}, {.lengths = lengths}). Gradients flow
// into q alone.
LinearState linear_state_of(const Tensor& k, const Tensor& v, const Tensor& lengths = {});
Variable linear_attention_from(const Variable& q, const LinearState& source, double epsilon = 1e-6);

// The same by the dense matrix a, (B, H, T, S): the definition. For small T and S.
Variable linear_attention_reference(const LinearInputs& in, const LinearOptions& options = {});

// Throws unless shapes and options fit; of the doors above.
void check_linear_attention(const LinearInputs& in, const LinearOptions& options, const LinearState* state = nullptr);

// Feature maps, number by number, in the order in which x lies in memory: one pass each.
Variable elu_features(const Variable& x);                        // elu(x) + 1: x + 1 for x > 0, else exp(x)
Variable relu_features(const Variable& x, double least = 1e-3);  // relu(x) + least

}  // namespace heed
