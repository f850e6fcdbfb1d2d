#include "models/objectives/next_pixel.h"

#include "autograd/ops/cross_entropy.h"

namespace heed {

Variable NextPixel::summed_loss(const Batch& batch, const LossIn& in, Context& ctx) {
  const Variable logits = model_.forward(batch.inputs, {.labels = batch.labels, .hidden = in.hidden}, ctx);
  return cross_entropy(logits, model_.order().ordered(batch.inputs), {.reduction = LossReduction::sum});
}

}  // namespace heed
