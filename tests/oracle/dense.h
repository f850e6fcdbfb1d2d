// Multi-head attention by its definition: plain ops on dense matrices, every pair, with the parameters of a mixer. The
// steps are here one by one for oracles that are only partly another formula.
#pragma once

#include "tests/oracle/oracle.h"

// What mixer.forward(x, {.source = &source, .mask = mask}) and its weights must be. source: undefined for
// self-attention.
DenseAttention dense_attention(const Oracle& oracle, const OracleCase& c, const heed::Variable& x,
                               const heed::Variable& source = {});

// ---- its steps

OracleHeads dense_heads(const OracleCase& c, const heed::Variable& x, const heed::Variable& source);  // rotated, if so
heed::Variable dense_products(const OracleHeads& heads);  // <q, k> / sqrt(D)
// softmax over the pairs that are seen; of nothing there are zeros
heed::Variable dense_softmax(const heed::Variable& scores, const heed::Tensor& seen);
// o (B, H, T, Dv) -> (B, T, C): the last projection, and zeros in the rows of padding
heed::Variable dense_out(const OracleCase& c, const heed::Variable& o, long S, bool from_source);
heed::Variable zero_padding(const OracleCase& c, const heed::Variable& y, long S);

// The pairs that both the mask and the predicate allow, boolean (B, H, T, S). Without a predicate the mask's.
heed::Tensor dense_visible(const heed::Mask& mask, const Sees& sees, const heed::Shape& B_H_T_S);

heed::Tensor parameter_of(heed::Module& module, const std::string& path);  // undefined: there is none
