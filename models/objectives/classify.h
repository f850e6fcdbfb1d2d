// Classify: a model tells the class of each sequence. The sum of -log p of the right ones; reports `accuracy`, the
// share of samples whose most likely class is the right one.
#pragma once

#include "models/classifier.h"
#include "models/objectives/objective.h"

namespace heed {

class Classify : public Objective {
 public:
  explicit Classify(Classifier& model) : model_(model) {}
  Module& model() override { return model_; }
  // Of the batch: inputs (B, T), targets (B,), lengths (B,) or undefined.
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;

 private:
  Classifier& model_;
};

}  // namespace heed
