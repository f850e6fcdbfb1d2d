// MaskedPixels: some pixels are hidden, and a picture model fills them in from all others (BERT's question to pictures:
// Chen et al., 2020). The sum of -log p over the hidden ones.
#pragma once

#include "models/objectives/objective.h"
#include "models/picture_model.h"

namespace heed {

class MaskedPixels : public Objective {
 public:
  explicit MaskedPixels(PictureModel& model) : model_(model) {}
  Module& model() override { return model_; }
  // Of the batch: inputs (B, n), and targets (B, n), row by row: the pixels that are hidden, kNoTarget elsewhere.
  Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) override;

 private:
  PictureModel& model_;
};

}  // namespace heed
