// Gpt: a language model. Tokens become vectors, a causal stack mixes them, and every position predicts the next token.
//
//   Gpt model({.V = 256, .stack = {.C = 256, .heads = 4, .ordering = repeated("sf", 4)}});
//   Variable loss = cross_entropy(model.forward(ids, ctx), next_ids);
#pragma once

#include "models/stack.h"
#include "models/token_input.h"
#include "models/token_model.h"
#include "nn/linear.h"

namespace heed {

struct GptOptions {
  long V = 256;  // tokens there are
  StackOptions stack = {};
  std::string positions = "learned";  // learned, sinusoid, rotary, or none (for an attention that knows distances)
  bool tied = true;                   // the table of the tokens is also the last layer
};

class Gpt : public Module, public TokenModel {
 public:
  explicit Gpt(const GptOptions& options);

  // ids (B, T) -> logits (B, T, V). With a state ids are the next tokens: T = 1 decodes, T = a prompt prefills.
  Variable forward(const Tensor& ids, Context& ctx, StackState* state = nullptr);
  Variable forward(const Tensor& ids, const Mask& mask, Context& ctx, StackState* state = nullptr);  // and the mask
  // What there is to look at in every attention, in their order: weights (B, H, T, T) and whatever a variant adds. For
  // pictures, so T is small.
  std::vector<std::vector<Look>> looks(const Tensor& ids, Context& ctx);

  // ---- to write with it (models/sampler.h)

  long vocabulary_size() const override { return V_; }
  long context() const override { return context_; }  // the stack's max_length
  StackState start(long batch, long max_length) override { return stack_.start(batch, max_length); }
  // Throws a sentence if what an attention remembers grows with the text, or if positions have an end.
  StackState start_stream(long batch) override;
  Tensor next_logits(const Tensor& ids, Context& ctx, StackState& state) override;

 private:
  Variable hidden(const Tensor& ids, const Mask& mask, Context& ctx, StackState* state);  // (B, T, C)
  Variable logits(const Variable& h, Context& ctx);                                       // (B, T, V)

  long V_, context_;
  std::string attention_;
  TokenInput& input_;
  Stack& stack_;
  Linear* head_ = nullptr;  // not tied
};

}  // namespace heed
