// MaskedTokens: some tokens of a text are predicted, in one of the ways of masked_columns.h, which is the batch's
// business. The sum of -log p over them.
#pragma once

#include "models/masked_lm.h"
#include "models/objectives/objective.h"

namespace heed {

class MaskedTokens : public Objective {
 public:
  explicit MaskedTokens(MaskedLm& model) : model_(model) {}
  Module& model() override { return model_; }
  // Of the batch, as masked_batch makes it: inputs (B, T), read and targets (B, Q); positions, ranges, segments and
  // lengths if it has them.
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;
  Variable logits(const Batch& batch, Context& ctx);  // (B, Q, V)

 private:
  MaskedLm& model_;
};

}  // namespace heed
