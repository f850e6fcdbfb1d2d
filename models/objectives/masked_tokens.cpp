#include "models/objectives/masked_tokens.h"

#include "autograd/ops/cross_entropy.h"

namespace heed {

Variable MaskedTokens::logits(const Batch& batch, Context& ctx) {
  Mask mask;
  if (batch.ranges.defined()) mask = mask & range_mask(batch.ranges);
  if (batch.segments.defined()) mask = mask & segment_mask(batch.segments);
  if (batch.lengths.defined()) mask = mask & length_mask(batch.lengths);
  return model_.forward(batch.inputs, {.positions = batch.positions, .mask = mask, .read = batch.read}, ctx);
}

Variable MaskedTokens::summed_loss(const Batch& batch, const LossIn& in, Context& ctx) {
  HEED_CHECK(in.hidden.window_left < 0 && in.hidden.window_right < 0, "masked_tokens",
             "a phase of the schedule has a window; columns do not stand in the order of the text. Leave it away");
  return cross_entropy(logits(batch, ctx), batch.targets, {.ignore = kNoTarget, .reduction = LossReduction::sum});
}

}  // namespace heed
