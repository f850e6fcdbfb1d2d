#include "models/token_input.h"

#include "system/nearest.h"

namespace heed {

const std::vector<std::string>& position_names() {
  static const std::vector<std::string> names = {"learned", "sinusoid", "rotary", "none"};
  return names;
}

TokenInput::TokenInput(const TokenInputOptions& o) : tokens(child<Embedding>("tokens", o.V, o.C)) {
  if (o.positions == "learned")
    learned_ = &child<LearnedPositions>("positions", o.max_length, o.C);
  else if (o.positions == "sinusoid")
    sinusoid_ = &child<SinusoidPositions>("positions");
  else if (o.positions != "rotary" && o.positions != "none")
    fail_unknown("model", "kind of positions", o.positions, position_names());
}

Variable TokenInput::forward(const Tensor& ids, Context& ctx, long offset) {
  HEED_CHECK(ids.dims() == 2, "model", "the ids are ", ids.shape(), "; they must be (B, T)");
  const Variable x = tokens.forward(ids, ctx);
  if (learned_) return learned_->forward(x, ctx, offset);
  return sinusoid_ ? sinusoid_->forward(x, ctx, offset) : x;
}

Variable TokenInput::forward(const Tensor& ids, const Tokens* facts, Context& ctx) {
  if (!facts || !facts->positions.defined()) return forward(ids, ctx);
  HEED_CHECK(ids.dims() == 2, "model", "the ids are ", ids.shape(), "; they must be (B, T)");
  const Variable x = tokens.forward(ids, ctx);
  check_tokens("model", *facts, ids.size(0), ids.size(1));
  if (learned_) return learned_->forward(x, facts->positions);
  return sinusoid_ ? sinusoid_->forward(x, facts->positions) : x;
}

}  // namespace heed
