// Score: what a task is judged by. Metrics, the terminal and pages call it by the same names everywhere:
//   NAME         of one training step alone: it jumps from batch to batch
//   train_NAME   of training: the running mean of NAME over about the last 50 steps (RunningMean)
//   valid_NAME   of the validation data, and of the step that stands beside it
// Charts and the choice of the best checkpoint go by it, too.
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

// The mean of all values at first, and behind 50 of them one that forgets: m += (x - m) / min(n, 50).
struct RunningMean {
  static constexpr long kSteps = 50;
  double value = 0;
  long count = 0;
  void add(double x) {
    count++;
    value += (x - value) / double(count < kSteps ? count : kSteps);
  }
};

}  // namespace heed
