// Core: a variant that is only a pattern. MultiHead owns the projections and heads once for all of them; a Core gets
// queries, keys and values and returns what each query collected.
#pragma once

#include "attention/mixer.h"

namespace heed {

// Logical (B, H, T, D); in memory usually (B, T, H, D): only the last axis must be dense.
struct Heads {
  const Variable& q;  // (B, H, T, D)
  const Variable& k;  // (B, H, S, D)
  const Variable& v;  // (B, H, S, Dv)
};

class Core : public Module {
 public:
  virtual Variable attend(const Heads& heads, const Mask& mask, Context& ctx) = 0;  // (B, H, T, Dv)
  virtual Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) = 0;   // (B, H, T, S), for small T
  virtual Capabilities can() const = 0;
};

}  // namespace heed
