// PatternCore: softmax attention over a pattern of positions; `full`, `local`, `image-local` and `window` are nothing
// else. It runs on the softmax engine, and may add a bias by position (attention/biases/).
#pragma once

#include "attention/biases/bias.h"
#include "attention/core.h"

namespace heed {

struct PatternOptions {
  Pattern pattern = {};
  long globals = 0;          // the first so many tokens see all and are seen by all; needs a plan of tiles (plan.h)
  BiasMaker bias = nullptr;  // null: none
};

class PatternCore : public Core {
 public:
  PatternCore(const MixerOptions& mixer, const PatternOptions& options);

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;
  Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) override;
  Capabilities can() const override;
  long reach() const override;

 private:
  SoftmaxInputs inputs(const Heads& heads, const Mask& mask, Context& ctx) const;
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) const;
  std::shared_ptr<const Plan> plan(long T, long S, Context& ctx) const;

  Pattern pattern_;
  long globals_;
  double dropout_;
  std::unique_ptr<Bias> bias_;  // null: none
};

}  // namespace heed
