#include "models/objectives/classify.h"

#include "autograd/ops/cross_entropy.h"
#include "tensor/ops/reduce.h"

namespace heed {

Variable Classify::summed_loss(const Batch& batch, const LossIn& in, Context& ctx) {
  HEED_CHECK(in.hidden.window_left < 0 && in.hidden.window_right < 0, "classify",
             "a phase of the schedule has a window; a classifier reads the whole text. Leave the window away");
  const Variable logits = model_.forward(batch.inputs, batch.lengths, ctx);
  const std::vector<int64_t> guesses = argmax(logits.value(), {1}).to_vector<int64_t>();
  const std::vector<int64_t> targets = batch.targets.to_vector<int64_t>();
  for (size_t i = 0; i < targets.size(); i++)  // one by one: micro-batches may differ in size
    ctx.report("accuracy", guesses[i] == targets[i]);
  return cross_entropy(logits, batch.targets, {.reduction = LossReduction::sum});
}

}  // namespace heed
