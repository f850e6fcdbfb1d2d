#include "models/gpt.h"

#include <limits>

#include "autograd/ops/views.h"
#include "models/orderings.h"
#include "tensor/views.h"

namespace heed {
namespace {

StackOptions checked(const GptOptions& o) {
  check_language_ordering("gpt", o.stack.ordering);
  return with_positions(o.stack, o.positions);
}

}  // namespace

Gpt::Gpt(const GptOptions& o)
    : V_(o.V),
      context_(o.stack.max_length),
      attention_(o.stack.attention),
      input_(child<TokenInput>("input", TokenInputOptions{o.V, o.stack.C, o.positions, o.stack.max_length})),
      stack_(child<Stack>("stack", checked(o))) {
  HEED_CHECK(stack_.can().causal, "gpt", "the attention is '", o.stack.attention,
             "', which cannot be causal; a language model must not look ahead");
  if (!o.tied) head_ = &child<Linear>("head", o.stack.C, o.V, Linear::Options{.bias = false});
}

Variable Gpt::forward(const Tensor& ids, Context& ctx, StackState* state) { return forward(ids, {}, ctx, state); }

Variable Gpt::forward(const Tensor& ids, const Mask& mask, Context& ctx, StackState* state) {
  return logits(hidden(ids, mask, ctx, state), ctx);
}

// Only the last token is asked for its logits: with a large vocabulary they are much of the work of a prompt.
Tensor Gpt::next_logits(const Tensor& ids, Context& ctx, StackState& state) {
  const Variable h = hidden(ids, {}, ctx, &state);
  return select(logits(slice(h, 1, -1, h.size(1)), ctx).value(), 1, 0);
}

Variable Gpt::hidden(const Tensor& ids, const Mask& mask, Context& ctx, StackState* state) {
  const Variable x = input_.forward(ids, ctx, state ? state->length() : 0);
  return stack_.forward(x, {.mask = causal_mask() & mask, .state = state}, ctx);
}

Variable Gpt::logits(const Variable& h, Context& ctx) {
  return head_ ? head_->forward(h, ctx) : input_.tokens.logits(h, ctx);
}

StackState Gpt::start_stream(long batch) {
  HEED_CHECK(stack_.can().bounded && !stack_.can().needs_max_length, "gpt", "the attention is '", attention_,
             "', and what it remembers grows with the text; a stream has no end. Use one that looks back only so far "
             "(window, local) or adds up what it has read (linear)");
  HEED_CHECK(!input_.has_end(), "gpt", "the positions are learned, for ", context_,
             " tokens; a stream has no end. Use rotary, sinusoid or none");
  return stack_.start(batch, std::numeric_limits<long>::max());
}

std::vector<std::vector<Look>> Gpt::looks(const Tensor& ids, Context& ctx) {
  const NoGrad no_grad;
  std::vector<std::vector<Look>> maps;
  stack_.forward(input_.forward(ids, ctx), {.mask = causal_mask(), .maps = &maps}, ctx);
  return maps;
}

}  // namespace heed
