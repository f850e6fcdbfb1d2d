// The list of pieces that the kernels of linear attention walk over (linear_kernels.h), from lengths and segments.
#pragma once

#include <memory>
#include <vector>

#include "attention/engines/linear_kernels.h"
#include "nn/context.h"

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
  std::vector<int64_t> begin;  // (B + 1); empty: all samples share the pieces
  Tensor bytes, begins;        // both on another device, u8 and i64, as soon as they were moved there

  void move_to(Device device);                 // nothing to do for the cpu, or if it is a single piece for all
  void tell(kernels::LinearProblem& p) const;  // the pointers, good while this lives
};

// Throws if a segment comes back after it ended.
LinearPieces linear_pieces(const LinearTokens& tokens);

// The same on a device. A context keeps them: for the layers of a batch, and for all batches if there are neither
// lengths nor segments.
std::shared_ptr<const LinearPieces> linear_pieces_on(Device device, const LinearTokens& tokens, Context* ctx);

}  // namespace heed
