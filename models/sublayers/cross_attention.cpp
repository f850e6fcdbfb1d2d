// c: cross-attention, whose keys and values are of a source, such as the text that is translated.
#include "models/sublayer.h"
#include "system/error.h"

namespace heed {
namespace {

struct CrossAttentionSublayer : Sublayer {
  explicit CrossAttentionSublayer(const SublayerOptions& o)
      : attention(wrapped_from([&] { return make_layer_mixer(o.stack.cross_attention, mixer_options(o)); })) {
    HEED_CHECK(attention.can().cross, "stack", "cross_attention is '", o.stack.cross_attention,
               "', which takes no source; use full");
  }

  Variable forward(const Variable& h, const StackIn& in, State* state, Context& ctx) override {
    HEED_CHECK(in.source, "stack", "the ordering has cross-attention (c), and no source was given");
    return attention.forward(h, {.source = in.source, .mask = in.source_mask, .state = state}, ctx);
  }
  std::unique_ptr<State> start(long batch, long max_length) override { return attention.start(batch, max_length); }

  Mixer& attention;
};

const RegisteredSublayer registered{
    {.name = "c", .what = "cross-attention", .sees = Sees::source, .make = make_sublayer<CrossAttentionSublayer>}};

}  // namespace
}  // namespace heed
