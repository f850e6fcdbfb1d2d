// NextPixel: a picture model predicts every pixel from those before it, in its own order. The sum of -log p.
#pragma once

#include "models/igpt.h"
#include "models/objectives/objective.h"

namespace heed {

class NextPixel : public Objective {
 public:
  explicit NextPixel(Igpt& model) : model_(model) {}
  Module& model() override { return model_; }
  // Of the batch: inputs (B, n), row by row; labels (B,) if the model is told the class.
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;

 private:
  Igpt& model_;
};

}  // namespace heed
