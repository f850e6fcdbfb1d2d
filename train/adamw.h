// AdamW: the optimiser, over the whole arena at once.
//
//   ParameterArena arena(model);
//   AdamW optimiser(arena, {.weight_decay = 0.1, .clip = 1});
//   for (...) { arena.zero_gradients(); loss.backward(); optimiser.step(rate); }
#pragma once

#include "nn/arena.h"

namespace heed {

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.01;  // of the arena's decay group only: matrices, not biases and norms
  double clip = 0;             // scales the gradients down to this norm over all parameters; 0: off
};

class AdamW {
 public:
  explicit AdamW(const ParameterArena& arena, const AdamWOptions& options = {});

  // One step with the gradients as they are in the arena; it leaves them there. Throws, and changes nothing, when
  // clip is on and the norm is not finite.
  void step(double rate);

  double gradient_norm() const;  // over all parameters, as they are now
  long steps() const { return steps_; }
  const Tensor& m() const { return m_; }  // (arena.size(),): the running mean of the gradients
  const Tensor& v() const { return v_; }  // and of their squares

 private:
  double clip_scale() const;

  AdamWOptions options_;
  Tensor weights_, gradients_, m_, v_;
  long decay_size_, steps_ = 0;
};

}  // namespace heed
