// The list of pieces that the kernels of linear attention walk over (linear_kernels.h), from lengths and segments.
#pragma once

#include <vector>

#include "attention/engines/linear_kernels.h"

namespace heed {

struct LinearTokens {
  long B, T, S;       // samples, queries, keys
  bool causal;        // queries are the last T of S positions
  long before = 0;    // positions before the first key, which a state has seen
  Tensor lengths{};   // (B) i64 or undefined: keys from position lengths[b] on are in no piece
  Tensor segments{};  // (B, before + S) i64 or undefined
};

struct LinearPieces {
  std::vector<kernels::LinearPiece> pieces;
  std::vector<long> begin;  // (B + 1); empty: all samples share the pieces

  void tell(kernels::LinearProblem& p) const;  // the pointers, good while this lives
};

// Throws if a segment comes back after it ended.
LinearPieces linear_pieces(const LinearTokens& tokens);

}  // namespace heed
