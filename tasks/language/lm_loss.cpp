#include "tasks/language/lm_loss.h"

#include "autograd/ops/cross_entropy.h"

namespace heed {

Variable summed_loss(Gpt& model, const ByteBatch& batch, const Mask& mask, Context& ctx) {
  const Mask documents = batch.segments.defined() ? segment_mask(batch.segments) : Mask();
  return cross_entropy(model.forward(batch.inputs, documents & mask, ctx), batch.targets,
                       {.ignore = kNoTarget, .reduction = LossReduction::sum});
}

}  // namespace heed
