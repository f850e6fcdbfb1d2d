// AdamW: the usual optimiser of transformers (Loshchilov and Hutter, 2019), over the whole arena at once.
//
//   ParameterArena arena(model);
//   AdamW optimiser(arena, {.weight_decay = 0.1, .clip = 1});
//   for (...) { arena.zero_gradients(); loss.backward(); optimiser.step(rate); }
//
// The line of maths is in tensor/ops/adamw.h; steps, clipping and what checkpoints need in optimiser.h.
#pragma once

#include "train/optimiser.h"

namespace heed {

using AdamWOptions = OptimiserOptions;

class AdamW : public Optimiser {
 public:
  explicit AdamW(const ParameterArena& arena, const AdamWOptions& options = {});

  const Tensor& m() const { return state()[0].second; }  // (arena.size(),): the running mean of the gradients
  const Tensor& v() const { return state()[1].second; }  // and of their squares

 protected:
  AdamW(const char* op, const ParameterArena& arena, const OptimiserOptions& options, bool decoupled);

 private:
  void update(const Part& part) override;
  double beta1_, beta2_, epsilon_;
  bool decoupled_;  // decay apart from the gradient
};

// Adam (Kingma and Ba, 2015): the same without decoupled decay; weight_decay, 0 by default, is added to the gradient.
class Adam : public AdamW {
 public:
  explicit Adam(const ParameterArena& arena, const OptimiserOptions& options = {})
      : AdamW("Adam", arena, options, false) {}
};

}  // namespace heed
