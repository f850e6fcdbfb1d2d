#include "models/objectives/next_token.h"

#include "autograd/ops/cross_entropy.h"

namespace heed {

Variable NextToken::summed_loss(const Batch& batch, const LossIn& in, Context& ctx) {
  const Mask documents = batch.segments.defined() ? segment_mask(batch.segments) : Mask();
  return cross_entropy(model_.forward(batch.inputs, documents & in.hidden, ctx, in.state), batch.targets,
                       {.ignore = kNoTarget, .reduction = LossReduction::sum});
}

}  // namespace heed
