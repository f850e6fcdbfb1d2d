#include "attention/softmax_core.h"

#include "tensor/copy.h"

namespace heed {

SoftmaxCore::SoftmaxCore(const MixerOptions& mixer, const BiasMaker& bias) : dropout_(mixer.dropout) {
  check_head_channels("attention", mixer.head_width, mixer.value_width);
  if (bias)
    bias_ = bias(mixer, [this](const std::string& name, const Shape& shape, const Init& init) -> Variable& {
      return parameter(name, shape, init, false);
    });
}

SoftmaxInputs SoftmaxCore::inputs(const Heads& heads, const Mask& mask, Context& ctx) const {
  SoftmaxInputs in{heads.q, heads.k, heads.v};
  if (heads.query_positions) in.query_positions = cast(*heads.query_positions, i32);
  if (heads.key_positions) in.key_positions = cast(*heads.key_positions, i32);
  const bool empty = heads.q.size(2) + heads.k.size(2) == 0;  // there are no distances, not even one
  if (bias_ && !empty) bias_->add(in, mask, ctx);
  return in;
}

SoftmaxOptions SoftmaxCore::options(Context& ctx) const {
  if (!drops(ctx)) return {};
  return {.dropout = dropout_, .key = ctx.random(*this)};
}

Variable SoftmaxCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  return softmax_attention(inputs(heads, mask, ctx), seen(heads, mask, ctx), options(ctx)).o;
}

Tensor SoftmaxCore::weights(const Heads& heads, const Mask& mask, Context& ctx) {
  return softmax_attention_weights(inputs(heads, mask, ctx), seen(heads, mask, ctx));
}

}  // namespace heed
