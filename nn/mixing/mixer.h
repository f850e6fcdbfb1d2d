// Mixer: a sublayer that mixes tokens, (B, T, C) -> (B, T, C). Every attention variant and every recurrent cell is
// one; the stack of a model knows nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/context.h"
#include "nn/init.h"
#include "nn/mixing/capabilities.h"
#include "nn/mixing/mask.h"
#include "nn/mixing/shared.h"
#include "nn/mixing/state.h"
#include "nn/module.h"

namespace heed {

struct Grid {
  long rows = 0, columns = 0;  // 0: the tokens are no image
  // The order of the tokens: block by block, each row by row, smaller at the edges. 0: row by row
  long block_rows = 0, block_columns = 0;
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
  double dropout = 0;      // of the weights, if it has some
  bool rotary = false;     // rotate queries and keys by their positions (tensor/ops/rotary.h), if the variant can
  Init in = init::fan_in(),
       out = init::fan_in();   // of the projections to queries, keys and values, and of the last one
  long layer = 0, layers = 1;  // the number of this attention in its stack, from 0, and how many there are
  Grid grid = {};              // of an image, if the tokens are one: the default of all options that want it
  Shared* shared = nullptr;    // parameters that the layers of a stack have in common; null: there is no stack
};

// What a model knows of single tokens, besides their vectors. Undefined: nothing.
struct Tokens {
  Tensor positions{};  // i64 (1 or B, T): where each token stands, in place of its number; not below 0
  Tensor global{};     // boolean (1 or B, T): tokens that all see and that see all
};

// Throws unless they fit a batch of B samples of T tokens; `op` says who asks.
void check_tokens(const char* op, const Tokens& tokens, long B, long T);

// What a forward gets besides x.
struct MixIn {
  const Variable* source = nullptr;  // (B, S, C), another sequence for keys and values: cross-attention
  Mask mask = {};
  State* state = nullptr;          // what the layer remembers between calls; null: nothing
  const Tokens* tokens = nullptr;  // facts of the tokens of x; null: there are none
};

// Something to look at in a picture: "weights" (B, H, T, S), "buckets", "permutation".
struct Look {
  std::string name;
  Tensor value;
};

class Mixer : public Module {
 public:
  // (B, T, C) -> (B, T, C). Refuses with a sentence what can() does not promise: a part of the mask, a source, a state.
  // So no variant can forget to, and none ignores silently what it was given.
  Variable forward(const Variable& x, const MixIn& in, Context& ctx);
  virtual Capabilities can() const = 0;

  // A State for token-by-token work. By default throws a sentence: not every mixer can decode.
  virtual std::unique_ptr<State> start(long batch, long max_length);

  // Extra nodes that live beside the tokens, added and removed once around the stack: x (B, T, C) -> (B, N, C), then
  // what comes of it (B, N, C) -> (B, T, C). in: that of the first layer. By default there are none.
  virtual Variable widen(const Variable& x, const MixIn& in, Context& ctx);
  virtual Variable narrow(const Variable& y, long T, const MixIn& in, Context& ctx);

  // The dense map (B, H, T, S) of weights for small T: pictures and tests. Refuses what forward refuses.
  Tensor weights(const Variable& x, const MixIn& in, Context& ctx);
  // All there is to look at, for small T. By default the weights, if there are any.
  virtual std::vector<Look> looks(const Variable& x, const MixIn& in, Context& ctx);

  // How errors speak of it: the variant that it was made as. The registry introduces every mixer that it makes.
  const std::string& name() const { return name_; }
  void introduce(const std::string& name, long max_length);

 protected:
  virtual Variable mix(const Variable& x, const MixIn& in, Context& ctx) = 0;  // forward, after its checks
  // weights, after its checks. By default throws a sentence.
  virtual Tensor dense_weights(const Variable& x, const MixIn& in, Context& ctx);

 private:
  void check(const Variable& x, const MixIn& in) const;

  std::string name_ = "attention";
  long max_length_ = -1;  // of those that have a largest one; -1: not known
};

}  // namespace heed
