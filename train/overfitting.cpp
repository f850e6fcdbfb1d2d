#include "train/overfitting.h"

#include <cmath>

#include "system/text.h"
#include "train/run_folder.h"

namespace heed {
namespace {

constexpr double kWorse = 0.01;  // of the best validation
constexpr size_t kLater = 2;     // validations that are all worse

// The last value up to this step; the curve is not empty.
double value_at(const std::vector<Point>& curve, double step) {
  double value = curve.front().y;
  for (const Point& p : curve)
    if (p.x <= step) value = p.y;
  return value;
}

}  // namespace

std::string Overfitting::text(const Score& score) const {
  return format("overfitting: the validation was best at step %ld (%.3f) and is %.3f %s at step %ld, ", best_step, best,
                now, score.unit.c_str(), step) +
         "while training went on to improve: the model learns its data by heart. More data, a smaller model or "
         "dropout help; the best checkpoint is kept";
}

std::optional<Overfitting> overfitting(const std::vector<Json>& metrics, const Score& score) {
  const std::vector<Point> valid = curve_of(metrics, "step", score.valid());
  const std::vector<Point> train = curve_of(metrics, "step", score.train());
  if (valid.size() <= kLater || train.empty()) return {};
  size_t best = 0;
  for (size_t i = 1; i < valid.size(); i++)
    if (score.better(valid[i].y, valid[best].y)) best = i;
  const Point &then = valid[best], &last = valid.back();
  const bool worse = best + kLater < valid.size() && std::abs(last.y - then.y) > kWorse * std::abs(then.y);
  const bool learns = score.better(value_at(train, last.x), value_at(train, then.x));
  if (!worse || !learns) return {};
  return Overfitting{.best_step = long(then.x), .step = long(last.x), .best = then.y, .now = last.y};
}

}  // namespace heed
