// The online softmax as plainly as it can be written: read this before the tiles. Attention wants
//
//   o_i = sum_j exp(s_ij) v_j / sum_j exp(s_ij),   L_i = log sum_j exp(s_ij),   s_ij = <q_i, k_j> / sqrt(D)
//
// over the keys j that query i sees. Two things are in the way. exp(s) overflows, so the largest score is subtracted
// from all of them; but the largest is known only after all have been seen, which would mean to keep a whole row of
// scores. The online softmax (Milakov and Gimelshein, 2018) takes one key after the other and keeps only three things:
//
//   m = max s_j       l = sum exp(s_j - m)       a = sum exp(s_j - m) v_j              over the keys seen so far
//
// If a key has a larger score than m, everything collected so far was scaled by exp(-m) and must be scaled by
// exp(-m_new): l and a are multiplied by exp(m - m_new). At the end o = a / l and L = m + log l. Time O(T S), memory
// O(T): the (T, S) matrix of scores never exists. The softmax engine does the same for 64 x 64 pairs at a time.
#pragma once

#include <functional>
#include <vector>

namespace heed {

using PlainRows = std::vector<std::vector<double>>;  // a vector per token

struct PlainAttention {
  PlainRows o;            // (T, Dv); zeros for a query that sees nothing
  std::vector<double> L;  // (T); -infinity for a query that sees nothing
};

// One head: q (T, D), k (S, D), v (S, Dv). sees(i, j): may query i look at key j?
PlainAttention online_softmax_attention(const PlainRows& q, const PlainRows& k, const PlainRows& v,
                                        const std::function<bool(size_t i, size_t j)>& sees);

}  // namespace heed
