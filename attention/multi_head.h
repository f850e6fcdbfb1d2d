// MultiHead: the Mixer of every variant that is only a pattern. It projects x to queries, keys and values, hands them
// to a Core, and projects what comes back:
//
//   [q, k, v] = x W + b in heads,   o = core(q, k, v),   y = o Wo + bo
//
// In cross-attention k and v come from another sequence, the source.
//
// Rotary positions rotate q and k by where they stand in their sequence (tensor/ops/rotary.h), before keys are
// remembered; not in cross-attention, where distances mean nothing.
//
// A Core may want less: no keys of their own (k is q), or neither queries nor keys (Projections).
//
// With a State it remembers keys and values: T = 1 decodes, T = a prompt prefills. A core that looks back only so far
// (reach) keeps only so much, and one with a State of its own kind whatever that holds; of a source keys and values are
// made once. Rows of padded queries (beyond the mask's lengths) come out as zeros.
#pragma once

#include <functional>

#include "attention/core.h"
#include "autograd/ops/split_heads.h"
#include "nn/linear.h"
#include "nn/rotary.h"

namespace heed {

class KeyValueState;

class MultiHead : public Mixer {
 public:
  using CoreMaker = std::function<std::unique_ptr<Core>()>;
  MultiHead(const MixerOptions& options, const CoreMaker& core);  // options: complete, as make_mixer hands them on

  std::unique_ptr<State> start(long batch, long max_length) override;
  Capabilities can() const override;
  std::vector<Look> looks(const Variable& x, const MixIn& in, Context& ctx) override;

  Core& core() { return core_; }  // for who has queries, keys and values already: benchmarks

 protected:
  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override;
  Tensor dense_weights(const Variable& x, const MixIn& in, Context& ctx) override;

 private:
  struct Projected;  // queries, keys and values in heads
  Projected projected(const Variable& x, const MixIn& in, const Context& ctx);
  Projected of_sequence(const Variable& x, const MixIn& in, const Context& ctx);
  Projected of_source(const Variable& x, const MixIn& in, const Context& ctx);
  Projected with_state(const Projected& now, KeyValueState& kept, const Mask& mask) const;
  Projected with_own_state(const Projected& now, State& state, const Mask& mask) const;
  Tensor rotations(const Variable& x, const MixIn& in);  // of x's positions; undefined: none
  void check_x(const Variable& x) const;
  void check_source(const Variable& x, const Variable& source) const;

  MixerOptions options_;
  Core& core_;
  Projections wants_;  // of the core
  Linear &in_, &out_;  // in: (H D + Hk D + Hk Dv, C), the rows of q, then k, then v, as far as they are wanted
  HeadPart queries_, keys_, values_;  // how the rows of `in` are cut into heads
  RotaryTable positions_;
};

// For variants: a MultiHead around a C made of (options, args...).
template <class C, class... Args> std::unique_ptr<Mixer> multi_head(const MixerOptions& options, const Args&... args) {
  return std::make_unique<MultiHead>(options, [&] { return std::make_unique<C>(options, args...); });
}

}  // namespace heed
