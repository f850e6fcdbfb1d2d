// RangesCore: softmax attention of patterns in which neighbouring queries see the same keys, some ranges of them:
// blocks that are near, global or drawn (`bigbird`), rectangles of an image (`image-local`). A variant says the ranges;
// from them come a plan of tiles for sequences, and for a single query, as in decoding, one part for each range,
// merged: that needs no plan, and nothing from the host.
//
//   struct OwnAndFirst : RangesCore {  // a query sees its own block of 64 tokens and the first one
//     explicit OwnAndFirst(const MixerOptions& mixer) : RangesCore(mixer) {}
//     SeenKeys keys(long, long p, long n) const override {
//       const long first = p / 64 * 64, end = std::min(first + 64, n);
//       return first == 0 ? SeenKeys{end, {{0, end - 1}}} : SeenKeys{end, {{0, 63}, {first, end - 1}}};
//     }
//     std::string key() const override { return "own and first 64"; }
//     Capabilities can() const override { return every_mask(); }
//   };
#pragma once

#include "attention/plan_core.h"

namespace heed {

// What the queries at the positions p .. end - 1 see: ranges of positions that do not overlap.
struct SeenKeys {
  long end;
  std::vector<KeyRange> keys;
};

class RangesCore : public PlanCore {
 public:
  // lists: 1 if all heads see the same, or one for each head
  explicit RangesCore(const MixerOptions& mixer, const BiasMaker& bias = nullptr, long lists = 1)
      : PlanCore(mixer, bias), lists_(lists) {}

  virtual SeenKeys keys(long h, long p, long n) const = 0;  // of head h from position p on, in a sequence of n tokens

  Plan plan(const PlanFor& at) const override;
  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override;

 private:
  Variable single(const Heads& heads, const Mask& mask, Context& ctx) const;
  Visible part(const Heads& heads, const Mask& mask, const std::vector<std::vector<KeyRange>>& ranges, size_t r) const;

  long lists_;
};

}  // namespace heed
