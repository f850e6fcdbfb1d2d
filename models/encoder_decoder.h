// EncoderDecoder: reads one sequence and writes another (translation, summaries). The encoder looks both ways; the
// decoder is causal and has a cross-attention to what the encoder made.
#pragma once

#include "models/stack.h"
#include "models/token_input.h"

namespace heed {

struct EncoderDecoderOptions {
  long V = 256;  // of both sequences
  StackOptions encoder = {.ordering = "sfsf"};
  StackOptions decoder = {.ordering = "scfscf"};
  std::string positions = "learned";
};

class EncoderDecoder : public Module {
 public:
  explicit EncoderDecoder(const EncoderDecoderOptions& options);

  Variable encode(const Tensor& ids, const Tensor& lengths, Context& ctx);  // (B, S), (B,) or undefined -> (B, S, C)
  // ids (B, T) -> logits (B, T, V). With a state keys and values of the source are made once and kept.
  Variable decode(const Tensor& ids, const Variable& source, const Tensor& source_lengths, Context& ctx,
                  StackState* state = nullptr);
  StackState start(long batch, long max_length) { return decoder_.start(batch, max_length); }

 private:
  TokenInput& input_;
  Stack &encoder_, &decoder_;
};

}  // namespace heed
