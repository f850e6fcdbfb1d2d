// Mixer: a sublayer that mixes tokens, (B, T, C) -> (B, T, C). Every attention variant and every recurrent cell is
// one; the stack of a model knows nothing else.
#pragma once

#include <memory>

#include "nn/context.h"
#include "nn/init.h"
#include "nn/mixing/mask.h"
#include "nn/mixing/shared.h"
#include "nn/mixing/state.h"
#include "nn/module.h"

namespace heed {

struct Grid {
  long rows = 0, columns = 0;  // 0: the tokens are no image
};

// What a model tells every mixer it makes.
struct MixerOptions {
  long C = 0;              // channels of x
  long heads = 1;          // of queries
  long key_heads = 0;      // of keys and values, a divisor of heads; 0: as many as heads
  long head_width = 0;     // of queries and keys; 0: C / heads
  long value_width = 0;    // of values; 0: as head_width
  long max_length = 1024;  // the longest sequence, for variants with parameters per position
  bool bias = true;        // in the projections
  double dropout = 0;      // of the weights
  bool rotary = false;     // rotate queries and keys by their positions (tensor/ops/rotary.h), if the variant can
  Init in = init::fan_in(),
       out = init::fan_in();   // of the projections to queries, keys and values, and of the last one
  long layer = 0, layers = 1;  // the number of this attention in its stack, from 0, and how many there are
  Grid grid = {};              // of an image, if the tokens are one: the default of all options that want it
  Shared* shared = nullptr;    // parameters that the layers of a stack have in common; null: there is no stack
};

// What a forward gets besides x.
struct MixIn {
  const Variable* source = nullptr;  // (B, S, C), another sequence for keys and values: cross-attention
  Mask mask = {};
  State* state = nullptr;  // what the layer remembers between calls; null: nothing
};

struct Capabilities {
  bool causal = false;            // can be run so that no output depends on a later token
  bool strictly_causal = false;   // not even on choices made from later tokens (hash buckets, routing)
  bool padding = false;           // honours lengths: a padded batch equals each sample alone
  bool cross = false;             // takes a source
  bool decode = false;            // has a State
  bool exact = false;             // equals full attention under its mask
  bool rotary = false;            // its scores are dot products, so that queries and keys may be rotated by positions
  bool needs_max_length = false;  // has parameters per position
  bool random = false;            // draws numbers, also outside of dropout
  bool widens = false;            // adds nodes around the stack
};

// What two mixers can, one after the other: promises that both give, and needs that either has.
Capabilities operator&(const Capabilities& a, const Capabilities& b);

class Mixer : public Module {
 public:
  virtual Variable forward(const Variable& x, const MixIn& in, Context& ctx) = 0;
  virtual Capabilities can() const = 0;

  // A State for token-by-token work. By default throws a sentence: not every mixer can decode.
  virtual std::unique_ptr<State> start(long batch, long max_length);

  // Extra nodes that live beside the tokens, added and removed once around the stack. By default there are none.
  virtual Variable widen(const Variable& x) { return x; }
  virtual Variable narrow(const Variable& x) { return x; }

  // The dense map (B, H, T, S) of weights for small T: pictures and tests. By default throws a sentence.
  virtual Tensor weights(const Variable& x, const MixIn& in, Context& ctx);
};

}  // namespace heed
