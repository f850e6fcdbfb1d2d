// Columns without a copy or an index. Tokens are written in rows of W, and a query sees those of its own column, as in
// axial attention and in the strided pattern of the Sparse Transformer. As long as queries are whole rows, that is full
// attention seen differently in memory: (B, n, H, D) is (B, n / W, W H, D) as well, a head for each column. What is no
// whole row, or has a bias, dropout or a mask of its own, takes an index (seeing/residues.h).
#pragma once

#include <functional>

#include "attention/core.h"
#include "attention/engines/softmax_engine.h"

namespace heed {

// (B, H, T, D) or (B, H, T) seen as `batch` samples: all tokens and heads in the order of memory, (B, T, H), are cut
// anew into samples, tokens and heads.
Variable refolded(const Variable& x, long batch, long tokens, long heads);

// Are the queries whole rows of W, under nothing but perhaps a causal mask?
bool whole_rows(const Heads& heads, const Mask& mask, long W);

// Attention of heads that were refolded (q, k, v), brought back to (B, H, T).
SoftmaxOutputs refolded_attention(const Heads& heads, const Mask& mask, const Shape& B_H_T, Context& ctx);

// Of whole rows: the keys of each query's own column that are at least `apart` rows away, in parts to merge. 0: all, in
// one part; otherwise those before it, and, unless the mask is causal, those after it. No keys may be forgotten.
std::vector<SoftmaxOutputs> column_attention(const Heads& heads, const Mask& mask, long W, long apart, Context& ctx);

// Such parts in any way of computing, by rows or by tokens: of T queries, the last of S, each sees the keys up to
// `apart` before its own, and then, unless the mask is causal, those from `apart` after it on.
struct KeysApart {
  long apart, T, S;
};
std::vector<SoftmaxOutputs> both_sides(const Mask& mask, const KeysApart& keys, Context& ctx,
                                       const std::function<SoftmaxOutputs(const Mask& side)>& attend);

}  // namespace heed
