#include "models/objectives/masked_pixels.h"

#include "autograd/ops/cross_entropy.h"
#include "tensor/ops/compare.h"

namespace heed {

Variable MaskedPixels::summed_loss(const Batch& batch, const LossIn& in, Context& ctx) {
  const Tensor hidden = not_equal(batch.targets, double(kNoTarget));
  const Variable logits = model_.filled(batch.inputs, hidden, {.hidden = in.hidden}, ctx);
  return cross_entropy(logits, model_.order().ordered(batch.targets),
                       {.ignore = kNoTarget, .reduction = LossReduction::sum});
}

}  // namespace heed
