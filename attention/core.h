// Core: what makes one attention different from another, between projections that all share. MultiHead owns the
// projections and heads once for all of them; a Core gets queries, keys and values and returns what each query
// collected. It may ask for less (projections), see x itself, and remember in its own way (start).
#pragma once

#include "nn/mixing/mixer.h"

namespace heed {

// Logical (B, H, T, D); in memory usually (B, T, H, D): only the last axis must be dense. Queries are the last T of the
// S tokens, if they are of the same sequence.
struct Heads {
  const Variable& q;   // (B, H, T, D); undefined if the core projects no queries
  const Variable& k;   // (B, Hk, S, D), Hk divides H
  const Variable& v;   // (B, Hk, S, Dv)
  long first_key = 0;  // the position of key 0 in its sequence: a State may have forgotten those before
  // Where the tokens stand, for biases by position: i64 (1 or B, T) and (1 or B, S), both or null. Several may stand at
  // one place. null: key j at j, query i at i + S - T
  const Tensor *query_positions = nullptr, *key_positions = nullptr;
  const Variable* x = nullptr;     // (B, T, C), what queries are made of; null: it is not known
  State* state = nullptr;          // one of the core's own kind: k and v are those of the T new tokens alone
  const Tokens* tokens = nullptr;  // facts of the T tokens of x; null: there are none
  bool cross = false;              // are keys and values of another sequence?

  // The same with other queries, keys and values: a group of heads, or rows in another order.
  Heads with(const Variable& queries, const Variable& keys, const Variable& values) const {
    return {queries, keys, values, first_key, query_positions, key_positions, x, state, tokens, cross};
  }
};

// What MultiHead projects x to. Values always; without keys k is q (Reformer), without queries there is neither.
struct Projections {
  bool queries = true, keys = true;
};

class Core : public Module {
 public:
  virtual Variable attend(const Heads& heads, const Mask& mask, Context& ctx) = 0;  // (B, H, T, Dv)
  // (B, H, T, S), for small T: pictures and tests. By default throws a sentence: there are none.
  virtual Tensor weights(const Heads& heads, const Mask& mask, Context& ctx);
  virtual Capabilities can() const = 0;  // bounded: if its own State is; MultiHead knows what a reach means
  virtual Projections projections() const { return {}; }

  // How many tokens before its own a causal query may look at: what a State must keep. -1: all.
  virtual long reach() const { return -1; }

  // A State of its own kind, in place of all keys and values; null: MultiHead keeps these (key_value_state.h). Its
  // owner is the core. attend gets it in heads.state before the new tokens count (its length() is that of the past) and
  // adds them to what it remembers. In cross-attention k and v are those of the source the first time; attend then
  // calls source_is_kept(), and later ones are undefined.
  virtual std::unique_ptr<State> start(long batch, long max_length);

  // More to look at than weights: buckets, permutations.
  virtual std::vector<Look> looks(const Heads& heads, const Mask& mask, Context& ctx);
};

}  // namespace heed
