// Stack: the sublayers of a transformer, one after the other, in the order that a string says:
//
//   s  attention over the sequence itself      c  cross-attention to a source      f  feed-forward
//
// "sfsfsf" is the usual transformer of three layers; any other order is a model too (models/orderings.h has some).
// A letter is a file in models/sublayers/ (models/sublayer.h): a further one is one more file.
//
// Every sublayer is a residual branch with a norm, before it (pre) or behind the sum (post):
//
//   pre:   x = x + f(norm(x)), and one more norm at the end          post:   x = norm(x + f(x))
//
// The sum and the norm that follows are one op, in both.
//
// Less memory for more time, with T tokens in all and L blocks (a block: an s and what follows, up to and with an f):
//
//   recompute_blocks     each block keeps its input only and is computed again in backward: L T C + one block.
//                        Gradients are the same to the bit
//   reversible           x1 = x2 = x, then pairs of branches x1 = x1 + F(x2), x2 = x2 + G(x1), and at the end the norm
//                        of (x1 + x2) / 2: another model, whose memory does not grow with L (autograd/reversible.h)
//   feed_forward_chunks  the hidden channels of feed-forward exist for one part of the tokens at a time
//
// Attentions that add nodes beside the tokens (Mixer::widen) do so once, before the first sublayer, and take them away
// behind the last: every sublayer in between works on tokens and nodes alike.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/dropout.h"
#include "nn/layer_norm.h"
#include "nn/mixing/registry.h"

namespace heed {

struct StackOptions {
  long C = 256;
  long heads = 4;
  std::string ordering = "sfsf";
  std::string attention = "full";  // of s, a spec of the registry, or a list over the layers: local*2;full
  std::string cross_attention = "full";
  bool pre_norm = true;
  std::string norm = "layer";  // or rms: a gain and no bias, epsilon 1e-5 (nn/layer_norm.h)
  bool bias = true;            // of the linear layers
  long hidden = 0;             // of feed-forward; 0: the customary width
  std::string activation = "gelu";
  double dropout = 0;            // of each branch
  double attention_dropout = 0;  // of the weights
  bool rotary = false;           // positions by rotating queries and keys of s (tensor/ops/rotary.h)
  // Of the weights: normal, and those of the last layer of each branch smaller, so that the sum of many does not grow
  // (GPT-2).
  double deviation = 0.02;
  long max_length = 1024;
  Grid grid = {};                 // if the tokens are an image
  bool recompute_blocks = false;  // with a state each block also keeps a copy of what it remembers
  bool reversible = false;        // pre-norm, and an even number of s and f
  long feed_forward_chunks = 1;
};

std::string repeated(const std::string& part, long times);  // "sf", 3 -> "sfsfsf"

// The same stack in a model with these positions: rotary ones are its work, all others are added to what it gets.
StackOptions with_positions(StackOptions stack, const std::string& positions);

// Throws what a Stack with these options would refuse about reversible; op: who asks.
void check_reversible(const char* op, const StackOptions& options);

class Sublayer;
enum class Sees;

// What a stack remembers between calls: a State of every sublayer that keeps one, s and c, in their order.
struct StackState {
  std::vector<std::unique_ptr<State>> states;
  long length() const;  // tokens seen
  void reset();

  using Saved = std::vector<State::Saved>;
  Saved saved() const;  // what it is now, to come back to
  void restore(const Saved& saved);
};

struct StackIn {
  Mask mask = {};                    // of s
  const Variable* source = nullptr;  // of c: (B, S, C)
  Mask source_mask = {};
  StackState* state = nullptr;
  const Tokens* tokens = nullptr;                  // facts of single tokens, for s
  std::vector<std::vector<Look>>* maps = nullptr;  // takes what there is to look at in every s, for a small T
  std::vector<Tensor>* inputs = nullptr;           // takes what every sublayer reads, (B, T, C), in their order

  MixIn mix_in(State* own) const { return {.mask = mask, .state = own, .tokens = tokens}; }  // of s
};

class Stack : public Module {
 public:
  explicit Stack(const StackOptions& options);

  Variable forward(const Variable& x, const StackIn& in, Context& ctx);  // (B, T, C) -> (B, T, C)
  StackState start(long batch, long max_length);
  Capabilities can() const;  // what all sublayers can
  // The first sublayer of every block, as StackIn::inputs counts them: {0, 2} of sfsf, {0, 1, 3} of ssff
  std::vector<size_t> block_begins() const;

 private:
  struct Layer {
    Sees sees;
    Norm* norm;
    Sublayer* sublayer;
    long state_index;  // of its State; -1: it has none
  };
  using Layers = std::span<const Layer>;
  std::vector<Layers> blocks() const;
  const Layer* widening() const;
  static Rewind mark(Layers layers, const StackIn& in, Context& ctx);
  static State* state_of(const Layer& layer, const StackIn& in);
  Variable run(const Variable& x, const StackIn& in, Context& ctx);
  Variable branch(const Layer& layer, const Variable& h, const StackIn& in, Context& ctx);
  Variable through(Layers layers, const Variable& x, const StackIn& in, Context& ctx, Norm* last);
  Variable block_by_block(const Variable& x, const StackIn& in, Context& ctx);
  Variable by_halves(const Variable& x, const StackIn& in, Context& ctx);

  bool pre_norm_, recompute_blocks_, reversible_;
  Shared& shared_;  // what the attentions have in common
  std::vector<Layer> layers_;
  const Layer* widening_ = nullptr;  // the first attention, if it adds nodes beside the tokens
  Norm* last_norm_ = nullptr;        // of pre-norm
  Dropout& dropout_;
};

}  // namespace heed
