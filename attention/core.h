// Core: a variant that is only a pattern. MultiHead owns the projections and heads once for all of them; a Core gets
// queries, keys and values and returns what each query collected.
#pragma once

#include "nn/mixing/mixer.h"

namespace heed {

// Logical (B, H, T, D); in memory usually (B, T, H, D): only the last axis must be dense. Queries are the last T of the
// S tokens, if they are of the same sequence.
struct Heads {
  const Variable& q;   // (B, H, T, D)
  const Variable& k;   // (B, Hk, S, D), Hk divides H
  const Variable& v;   // (B, Hk, S, Dv)
  long first_key = 0;  // the position of key 0 in its sequence: a State may have forgotten those before
};

class Core : public Module {
 public:
  virtual Variable attend(const Heads& heads, const Mask& mask, Context& ctx) = 0;  // (B, H, T, Dv)
  virtual Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) = 0;   // (B, H, T, S), for small T
  virtual Capabilities can() const = 0;

  // How many tokens before its own a causal query may look at: what a State must keep. -1: all.
  virtual long reach() const { return -1; }
};

}  // namespace heed
