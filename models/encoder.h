// Encoder: token ids become one vector per token, each of which has read the whole sequence, and one vector for all of
// it.
//
//   h = stack(tokens + positions)   (B, T, C),     pooled: mean_t h_t over the tokens that are no padding, or h_0 (cls)
//
// What classifiers, pairs of texts and masked language models are built on.
#pragma once

#include "models/stack.h"
#include "models/token_input.h"

namespace heed {

struct EncoderOptions {
  long V = 256;
  StackOptions stack = {};
  std::string positions = "learned";
  std::string pool = "mean";  // or cls: the vector of the first token
};

class Encoder : public Module {
 public:
  explicit Encoder(const EncoderOptions& options);

  // ids (B, T); lengths (B,) i64, or undefined: all tokens count
  Variable forward(const Tensor& ids, const Tensor& lengths, Context& ctx);  // -> (B, T, C)
  // The same under any mask, with facts of single tokens (positions, global marks) or null
  Variable forward(const Tensor& ids, const Mask& mask, const Tokens* tokens, Context& ctx);
  Variable pooled(const Tensor& ids, const Tensor& lengths, Context& ctx);  // -> (B, C)

  Embedding& tokens() { return input_.tokens; }  // the table, for a model that also predicts with it

 private:
  TokenInput& input_;
  Stack& stack_;
  bool mean_;
};

}  // namespace heed
