#include "models/encoder_decoder.h"

#include <algorithm>

namespace heed {

EncoderDecoder::EncoderDecoder(const EncoderDecoderOptions& o)
    : input_(child<TokenInput>("input", TokenInputOptions{o.V, o.encoder.C, o.positions,
                                                          std::max(o.encoder.max_length, o.decoder.max_length)})),
      encoder_(child<Stack>("encoder", with_positions(o.encoder, o.positions))),
      decoder_(child<Stack>("decoder", with_positions(o.decoder, o.positions))) {
  HEED_CHECK(o.encoder.C == o.decoder.C, "encoder_decoder", "the encoder has C = ", o.encoder.C, " and the decoder ",
             o.decoder.C, "; they must be equal");
}

Variable EncoderDecoder::encode(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  const Mask mask = lengths.defined() ? length_mask(lengths) : Mask();
  return encoder_.forward(input_.forward(ids, ctx), {.mask = mask}, ctx);
}

Variable EncoderDecoder::decode(const Tensor& ids, const Variable& source, const Tensor& source_lengths, Context& ctx,
                                StackState* state) {
  const Variable x = input_.forward(ids, ctx, state ? state->length() : 0);
  const StackIn in{.mask = causal_mask(),
                   .source = &source,
                   .source_mask = source_lengths.defined() ? length_mask(source_lengths) : Mask(),
                   .state = state};
  return input_.tokens.logits(decoder_.forward(x, in, ctx), ctx);
}

}  // namespace heed
