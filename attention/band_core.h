// BandCore: the local rows of windows with global tokens (seeing/globals.h). A query sees its window and all global
// tokens, in one call of the engine: the band's tiles and those of the global keys, with a dilation in the order of
// residues. Rows of global tokens are left as zeros, without a gradient: a variant computes them in its own way and
// adds them. Without global tokens it is a PatternCore.
#pragma once

#include "attention/pattern_core.h"
#include "attention/seeing/globals.h"

namespace heed {

class BandCore : public PatternCore {
 public:
  BandCore(const MixerOptions& mixer, const Pattern& window);  // window: left and right, dilation

  // Of whole texts, T = S
  Variable local_rows(const Heads& heads, const Mask& mask, const Globals& globals, Context& ctx);
  Tensor local_weights(const Heads& heads, const Mask& mask, const Globals& globals, Context& ctx);

  // Of T tokens behind others. The keys are the global tokens before position `first`, then all tokens from there on;
  // the last T of them are those of the queries.
  struct LaterKeys {
    const GlobalPositions& globals;
    long first;
    std::vector<long> positions(long S) const;  // of S keys
  };
  Variable later_rows(const Heads& heads, const Mask& mask, const LaterKeys& keys, Context& ctx);

 private:
  // most: the mask's window to the left, -1: none
  Variable single_row(const Heads& heads, long most, const LaterKeys& keys, Context& ctx);
};

}  // namespace heed
