// s: attention over the sequence itself, or whatever else mixes its tokens and is a Mixer of the registry.
#include "models/sublayer.h"

namespace heed {
namespace {

struct AttentionSublayer : Sublayer {
  explicit AttentionSublayer(const SublayerOptions& o)
      : attention(wrapped_from([&] {
          MixerOptions options = mixer_options(o);
          options.rotary = o.stack.rotary, options.shared = &o.shared;
          return make_layer_mixer(o.stack.attention, options);
        })) {}

  Variable forward(const Variable& h, const StackIn& in, State* state, Context& ctx) override {
    const MixIn own = in.mix_in(state);
    if (in.maps) in.maps->push_back(attention.looks(h, own, ctx));
    return attention.forward(h, own, ctx);
  }
  std::unique_ptr<State> start(long batch, long max_length) override { return attention.start(batch, max_length); }
  Capabilities can() const override { return attention.can(); }
  Mixer* mixer() const override { return &attention; }

  Mixer& attention;
};

const RegisteredSublayer registered{
    {.name = "s", .what = "attention", .sees = Sees::sequence, .make = make_sublayer<AttentionSublayer>}};

}  // namespace
}  // namespace heed
