// Stack: the sublayers of a transformer, one after the other, in the order that a string says:
//
//   s  attention over the sequence itself      c  cross-attention to a memory      f  feed-forward
//
// "sfsfsf" is the usual transformer of three layers; any other order is as good a model ("sssfff": the sandwich of Press
// et al., 2019). Every sublayer is a residual branch with a norm, before it (pre) or behind the sum (post):
//
//   pre:   x = x + f(norm(x)), and one more norm at the end          post:   x = norm(x + f(x))
//
// The sum and the norm that follows are one op, in both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attention/registry.h"
#include "nn/dropout.h"
#include "nn/feed_forward.h"
#include "nn/layer_norm.h"

namespace heed {

struct StackOptions {
  long C = 256;
  long heads = 4;
  std::string ordering = "sfsf";
  std::string attention = "full";  // of s, a spec of the registry
  std::string cross_attention = "full";
  bool pre_norm = true;
  long hidden = 0;  // of feed-forward; 0: the customary width
  std::string activation = "gelu";
  double dropout = 0;            // of each branch
  double attention_dropout = 0;  // of the weights
  long max_length = 1024;
};

std::string repeated(const std::string& part, long times);  // "sf", 3 -> "sfsfsf"

// What a stack remembers between calls: a State per attention, in their order.
struct StackState {
  std::vector<std::unique_ptr<State>> states;
  long length() const;  // tokens seen
  void reset();
};

struct StackIn {
  Mask mask = {};                    // of s
  const Variable* memory = nullptr;  // of c: (B, S, C)
  Mask memory_mask = {};
  StackState* state = nullptr;
};

class Stack : public Module {
 public:
  explicit Stack(const StackOptions& options);

  Variable forward(const Variable& x, const StackIn& in, Context& ctx);  // (B, T, C) -> (B, T, C)
  StackState start(long batch, long max_length);
  Capabilities can() const;  // what all attentions over the sequence can

 private:
  struct Layer {
    char kind;
    LayerNorm* norm;
    Mixer* mixer;  // of s and c
    FeedForward* feed_forward;
  };
  Variable branch(const Layer& layer, const Variable& h, const StackIn& in, State* state, Context& ctx);

  bool pre_norm_;
  std::vector<Layer> layers_;
  LayerNorm* last_norm_ = nullptr;  // of pre-norm
  Dropout& dropout_;
};

}  // namespace heed
