// PatternCore: softmax attention over a pattern of positions; `full`, `local`, `image-local` and `window` are nothing
// else. Who sees whom is one thing, how it is computed another: dilated windows in the order of residues
// (seeing/residues.h), global tokens by a plan or, while decoding, as a part of their own; always with the same pairs.
#pragma once

#include "attention/softmax_core.h"

namespace heed {

struct PatternOptions {
  Pattern pattern = {};
  long globals = 0;          // the first so many tokens see all and are seen by all
  BiasMaker bias = nullptr;  // null: none
};

class PatternCore : public SoftmaxCore {
 public:
  PatternCore(const MixerOptions& mixer, const PatternOptions& options);

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;
  Capabilities can() const override;
  long reach() const override;

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override;
  // The pattern without global tokens, for cores that merge it with more.
  SoftmaxOutputs window(const Heads& heads, const Mask& mask, const SoftmaxOptions& options, Context& ctx);
  Pattern now(const Context& ctx) const;  // while windows are scaled

 private:
  Variable with_globals(const Heads& heads, const Mask& mask, const SoftmaxOptions& options, Context& ctx);
  SoftmaxOutputs many_dilated(const Heads& heads, const Mask& mask, const SoftmaxOptions& options, Context& ctx);
  SoftmaxOutputs single_dilated(const Heads& heads, const Mask& mask, Context& ctx);
  Pattern pattern_at(const Heads& heads, const Context& ctx) const;
  std::string key(const std::string& kind, long T, const Pattern& pattern) const;
  std::shared_ptr<const Plan> plan(long T, long S, Context& ctx) const;

  Pattern pattern_;
  long globals_;
};

}  // namespace heed
