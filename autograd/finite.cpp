#include "autograd/finite.h"

#include <cmath>
#include <utility>

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

thread_local bool checking = false;

std::string place_text(const Shape& shape, long number) {
  std::string text;
  for (int axis = shape.dims() - 1; axis >= 0; number /= shape[axis], axis--)
    text = std::to_string(number % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

}  // namespace

CheckFinite::CheckFinite() : before_(std::exchange(checking, true)) {}
CheckFinite::~CheckFinite() { checking = before_; }
bool checks_finite() { return checking; }

// 0 x is 0 for every finite number, and NaN otherwise; a sum with a NaN is NaN.
bool all_finite(const Tensor& x) {
  if (!x.defined() || x.numel() == 0 || !is_maths(x.dtype())) return true;
  return std::isfinite(sum(mul(x, 0.0)).item());
}

void check_finite(const char* op, const char* what, const Tensor& x, MinusInfinity minus) {
  if (all_finite(x)) return;
  const auto values = cast(contiguous(x), f64).to_vector<double>();
  long first = -1, count = 0;
  for (long i = 0; i < long(values.size()); i++)
    if ((minus == MinusInfinity::passes ? !(values[i] < HUGE_VAL) : !std::isfinite(values[i])) && count++ == 0)
      first = i;
  if (count == 0) return;
  const double bad = values[first];
  fail<NotFinite>(op, what,
                  std::isnan(bad) ? " nan"
                  : bad < 0       ? " minus infinity"
                                  : " infinity",
                  ": the first of ", count, " is at ", place_text(x.shape(), first), " of ", x.shape(), " ", x.dtype());
}

}  // namespace heed
