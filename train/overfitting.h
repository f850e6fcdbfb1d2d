// Overfitting: the validation gets worse while training gets better. The model learns its data by heart, and longer
// training makes it worse at everything else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/json.h"
#include "train/score.h"

namespace heed {

struct Overfitting {
  long best_step = 0, step = 0;  // of the best validation and of the last one
  double best = 0, now = 0;
  std::string text(const Score& score) const;  // a sentence
};

// By the lines of metrics.jsonl. Nothing unless the last two validations are worse than the best one before them, the
// last by more than a hundredth, and training has improved since then: validations are noisy.
std::optional<Overfitting> overfitting(const std::vector<Json>& metrics, const Score& score);

}  // namespace heed
