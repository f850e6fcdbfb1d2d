// Score: what a task is judged by. Metrics have it as NAME for training and as valid_NAME for validation; pages, charts
// and the choice of the best checkpoint go by it.
#pragma once

#include <string>

namespace heed {

struct Score {
  std::string name = "bpc", unit = "bits per byte";
  bool less_is_better = true;

  std::string valid() const { return "valid_" + name; }
  std::string train() const { return "train_" + name; }
  bool better(double a, double b) const { return less_is_better ? a < b : a > b; }
};

}  // namespace heed
