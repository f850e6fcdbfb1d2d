// SoftmaxCore: a core that runs on the softmax engine. It holds what all of these have in common, the bias by position
// (attention/biases/) and dropout of the weights; a core of its own says who sees whom.
#pragma once

#include "attention/biases/bias.h"
#include "attention/core.h"

namespace heed {

class SoftmaxCore : public Core {
 public:
  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;
  Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) override;

 protected:
  SoftmaxCore(const MixerOptions& mixer, const BiasMaker& bias);  // null: no bias

  // Who sees whom, under the mask too. By tokens: without an index.
  virtual Visible seen(const Heads& heads, const Mask& mask, Context& ctx) = 0;

  // For cores that call the engine in their own way: the heads with the bias, and dropout in training. Each call of
  // options() is a new draw: parts that overlap in no pair share one (merge in softmax_engine.h).
  SoftmaxInputs inputs(const Heads& heads, const Mask& mask, Context& ctx) const;
  SoftmaxOptions options(Context& ctx) const;
  bool drops(const Context& ctx) const { return ctx.train && dropout_ > 0; }
  bool biased() const { return bias_ != nullptr; }
  bool allows_rotary() const { return !bias_ || bias_->allows_rotary(); }

 private:
  double dropout_;
  std::unique_ptr<Bias> bias_;  // null: none
};

}  // namespace heed
