// Score: what a task is judged by. Metrics, the terminal and pages call it by the same names everywhere:
//   NAME         of one training step alone: it jumps from batch to batch
//   train_NAME   of training: the running mean of NAME over recent steps (RunningMean)
//   valid_NAME   of the validation data, and of the step that stands beside it
// Charts and the choice of the best checkpoint go by it, too.
#pragma once

#include <algorithm>
#include <string>

namespace heed {

struct Score {
  std::string name = "bpc", unit = "bits per byte";
  bool less_is_better = true;

  std::string valid() const { return "valid_" + name; }
  std::string train() const { return "train_" + name; }
  bool better(double a, double b) const { return less_is_better ? a < b : a > b; }
};

// A mean that forgets: over about the last tenth of the values there were, at most 50 of them. So it is smooth in a
// long run and keeps up in a short one. m += (x - m) / s for the n-th value x, s = n / 10, from 1 to 50.
struct RunningMean {
  double value = 0;
  long count = 0;
  void add(double x) {
    count++;
    value += (x - value) / std::clamp(double(count) / 10, 1.0, 50.0);
  }
};

}  // namespace heed
