// PatternCore: softmax attention over a pattern of positions; `full`, `local`, `image-local` and `window` are nothing
// else.
#pragma once

#include "attention/softmax_core.h"

namespace heed {

struct PatternOptions {
  Pattern pattern = {};
  long globals = 0;          // the first so many tokens see all and are seen by all; needs a plan of tiles (plan.h)
  BiasMaker bias = nullptr;  // null: none
};

class PatternCore : public SoftmaxCore {
 public:
  PatternCore(const MixerOptions& mixer, const PatternOptions& options);

  Capabilities can() const override;
  long reach() const override;

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override;

 private:
  std::shared_ptr<const Plan> plan(long T, long S, Context& ctx) const;

  Pattern pattern_;
  long globals_;
};

}  // namespace heed
