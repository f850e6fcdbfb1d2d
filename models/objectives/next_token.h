// NextToken: at every place a language model predicts the token that comes next. The sum of -log p over the targets; no
// token sees another document.
#pragma once

#include "models/gpt.h"
#include "models/objectives/objective.h"

namespace heed {

class NextToken : public Objective {
 public:
  explicit NextToken(Gpt& model) : model_(model) {}
  Module& model() override { return model_; }
  StackState start(long rows) override { return model_.start_stream(rows); }
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;

 private:
  Gpt& model_;
};

}  // namespace heed
