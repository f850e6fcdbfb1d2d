// PlanCore: softmax attention over a plan of tiles (seeing/plan.h) that depends on lengths only: blocks, strides,
// blocks drawn at random. A variant says its plan and a text that tells it from others; making it once, masks, bias and
// dropout are done here:
//
//   struct Blocks : PlanCore {
//     using PlanCore::PlanCore;
//     Plan plan(const PlanFor& at) const override { return plan_of_blocks({at.T, at.S}, 64, blocks_of(at.T, at.S)); }
//     std::string key() const override { return "blocks 64"; }
//     Capabilities can() const override { return {.causal = true, .padding = true, .rotary = allows_rotary()}; }
//   };
#pragma once

#include "attention/softmax_core.h"

namespace heed {

// What a plan is made for: T queries, the last of S keys. Key 0 stands at position first_key; that is 0, unless the
// core has a reach() and a State forgot what is out of it.
struct PlanFor {
  long T, S, first_key = 0;
};

class PlanCore : public SoftmaxCore {
 public:
  explicit PlanCore(const MixerOptions& mixer, const BiasMaker& bias = nullptr) : SoftmaxCore(mixer, bias) {}

  virtual Plan plan(const PlanFor& at) const = 0;
  virtual std::string key() const = 0;  // all that the plan depends on besides: the variant and its options

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override;
};

}  // namespace heed
