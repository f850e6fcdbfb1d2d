// TokenInput: token ids become vectors with positions added: what every model of tokens begins with.
#pragma once

#include <string>
#include <vector>

#include "nn/embedding.h"
#include "nn/mixing/mixer.h"
#include "nn/positions.h"

namespace heed {

struct TokenInputOptions {
  long V = 256, C = 256;
  std::string positions = "learned";  // learned, sinusoid; rotary (the stack's work) or none: nothing is added
  long max_length = 1024;             // of learned positions
};

const std::vector<std::string>& position_names();  // all that `positions` may be

class TokenInput : public Module {
 public:
  explicit TokenInput(const TokenInputOptions& options);
  Variable forward(const Tensor& ids, Context& ctx, long offset = 0);  // (B, T) -> (B, T, C); offset: tokens before
  // The same with the tokens' own positions, if they have some: i64 (1 or B, T)
  Variable forward(const Tensor& ids, const Tokens* tokens, Context& ctx);

  bool has_end() const { return learned_; }  // positions for max_length tokens only

  Embedding& tokens;

 private:
  LearnedPositions* learned_ = nullptr;
  SinusoidPositions* sinusoid_ = nullptr;
};

}  // namespace heed
