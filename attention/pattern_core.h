// PatternCore: softmax attention over a pattern of positions; `full`, `local` and `window` are nothing else. It runs on
// the softmax engine, and may add a bias that depends on the distance d = p - j of query and key:
//
//   alibi  -m_h |d|, the slope m_h fixed per head: 2^(-8 (h + 1) / H) for a power of two H       (Press et al., 2021)
//   t5     a learned number per head and bucket of distances: exact ones, then wider and wider   (Raffel et al., 2019)
//   shaw   <q_i, a[clip(-d)]> / sqrt(D) with a learned row per clipped distance                  (Shaw et al., 2018)
#pragma once

#include "attention/core.h"
#include "attention/engines/softmax_engine.h"
#include "nn/mixing/registry.h"

namespace heed {

enum class PositionBias { none, alibi, t5, shaw };

struct PatternOptions {
  Pattern pattern = {};
  long globals = 0;  // the first so many tokens see all and are seen by all; needs a plan of tiles (plan.h)
  PositionBias bias = PositionBias::none;
  long clip = 16;       // shaw: distances beyond it count as it
  long buckets = 32;    // t5
  long furthest = 128;  // t5: where the last bucket begins
};

class PatternCore : public Core {
 public:
  PatternCore(const MixerSizes& sizes, const PatternOptions& options);

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;
  Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) override;
  Capabilities can() const override;
  long reach() const override;

 private:
  SoftmaxInputs inputs(const Heads& heads, const Mask& mask) const;
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) const;
  std::shared_ptr<const Plan> plan(long T, long S, Context& ctx) const;

  PatternOptions options_;
  double dropout_;
  Variable* table_ = nullptr;  // t5 (buckets, H), shaw (2 clip + 1, D)
};

std::vector<double> alibi_slopes(long heads);
long t5_bucket(long distance, bool causal, long buckets, long furthest);  // of d = p - j

// For variants: the options that choose a bias, and what they say.
std::vector<VariantOption> bias_options();
void read_bias(PatternOptions& to, const VariantOptions& options);

}  // namespace heed
