// Engine 2: linear attention. The weight of a pair is a product of features, a_ij = <q_i, k_j>, instead of its
// exponential, and so the sum over the keys can be taken first:
//
//   o_i = sum_j a_ij v_j / (sum_j a_ij + epsilon) = q_i S / (q_i z + epsilon),   S = sum_j k_j v_j^T,   z = sum_j k_j
//
// Time O(n F Dv), memory O(n): no pair is ever looked at. With a causal mask S and z are sums over j <= i. The sequence
// is cut into chunks: what is before a chunk is one S for all of it, inside of it the pairs are taken one by one,
//
//   N = Q S + tril(Q K^T) V,   then S += K^T V                 a column of ones in V carries the denominator along
//
// Any chunk gives the same: one token at a time is a recurrent network, one chunk is the quadratic form. A State is S
// and z: O(1) memory however long the text is. A query that sees nothing gives zeros. Features must not be negative, or
// the denominator may vanish; they are made before, so that a variant is its feature map:
//
//   o = linear_attention({elu_features(q), elu_features(k), v}, {.causal = true});
//
// What is padding may be NaN. A NaN in a later token is not as well hidden by causality: it reaches all queries of its
// own chunk, also those before it (0 times NaN), and none of the chunks before.
//
// Gradients take O(n) memory: the S of every chunk is kept, and never one per token. (Linear Transformer: Katharopoulos
// et al., 2020; Performer: Choromanski et al., 2020.) Made of plain ops on whole batches of chunks.
#pragma once

#include "autograd/variable.h"

namespace heed {

struct LinearInputs {
  Variable q;  // (B, H, T, F) features
  Variable k;  // (B, Hk, S, F) features; Hk divides H
  Variable v;  // (B, Hk, S, Dv)
};

// Epsilon keeps the denominator from 0. It is not scaled, so it must be far below sum_j a_ij: features of 1e-20 vanish
// beside 1e-6. With epsilon 0 features of any size give the same result, and where the denominator is 0 the result is
// zeros and has no gradient.
struct LinearOptions {
  bool causal = false;    // queries are the last T of S positions: query i sees the keys up to i + S - T
  Tensor lengths{};       // (B) i64: sample b has so many keys; undefined: all. Keys and values beyond count as 0
  double epsilon = 1e-6;  // >= 0
  long chunk = 64;        // of causal attention
};

// What the keys so far add up to.
struct LinearState {
  Tensor sums{};  // (B, Hk, F, Dv + 1): S, and z as the last column; undefined: nothing yet
};

// (B, H, T, Dv). With a state (causal only): the T = S tokens go on where it ends, see what it holds, and are added to
// it. No gradient flows into what was before.
Variable linear_attention(const LinearInputs& in, const LinearOptions& options = {}, LinearState* state = nullptr);

// The same by the dense matrix a, (B, H, T, S): the definition. For small T and S.
Variable linear_attention_reference(const LinearInputs& in, const LinearOptions& options = {});

// Feature maps, number by number
Variable elu_features(const Variable& x);                        // elu(x) + 1: x + 1 for x > 0, else exp(x)
Variable relu_features(const Variable& x, double least = 1e-3);  // relu(x) + least

}  // namespace heed
