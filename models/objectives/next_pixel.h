// NextPixel: a picture model predicts every pixel from those before it, in its own order. The sum of -log p.
#pragma once

#include "models/objectives/objective.h"
#include "models/picture_model.h"

namespace heed {

class NextPixel : public Objective {
 public:
  explicit NextPixel(PictureModel& model) : model_(model) {}
  Module& model() override { return model_; }
  // Of the batch: inputs (B, n), row by row; labels (B,) if the model is told the class.
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;

 private:
  PictureModel& model_;
};

}  // namespace heed
