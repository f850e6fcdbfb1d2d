// The language model that training, memory and sampling are measured with, at some sizes. bench/peer_gpt.py is the same
// in PyTorch: pre-norm, GELU by erf, learned positions, a tied head, V 256, no dropout.
#pragma once

#include <memory>
#include <string>

#include "bench/harness.h"
#include "models/gpt.h"
#include "nn/arena.h"
#include "train/adamw.h"

namespace heed::bench {

struct GptSizes {
  std::string name = "small";
  long layers = 4, width = 256, heads = 4, T = 512, B = 8;
  bool recompute_blocks = false, reversible = false;
};

GptOptions options_of(const GptSizes& s);
double product_weights(const GptSizes& s);  // 12 C^2 a layer, and the head

// One step: forward, backward, clipping by the norm of all gradients, AdamW. The batch is drawn once.
class TrainingStep {
 public:
  explicit TrainingStep(const GptSizes& s);
  void run();

 private:
  Gpt model_;
  ParameterArena arena_;
  AdamW optimiser_;
  Tensor ids_, targets_;  // (B, T)
  Context ctx_;
};

Action training_step(const GptSizes& s);

}  // namespace heed::bench
