#include "autograd/ops/reduce.h"

namespace heed {

Variable sum(const Variable& x, const Shape& axes, bool keep) {
  return record("sum", sum(x.value(), axes, keep), {x},
                [shape = x.shape(), axes](const Tensor& dy) { return sum_backward(dy, shape, axes); });
}

Variable mean(const Variable& x, const Shape& axes, bool keep) {
  return record("mean", mean(x.value(), axes, keep), {x},
                [shape = x.shape(), axes](const Tensor& dy) { return mean_backward(dy, shape, axes); });
}

Variable variance(const Variable& x, const Shape& axes, int correction, bool keep) {
  return record(
      "variance", variance(x.value(), axes, correction, keep), {x},
      [x = Saved(x), axes, correction](const Tensor& dy) { return variance_backward(dy, x, axes, correction); });
}

Variable logsumexp(const Variable& x, const Shape& axes, bool keep) {
  Tensor y = logsumexp(x.value(), axes, keep);
  return record("logsumexp", y, {x},
                [x = Saved(x), y = Saved(y), axes](const Tensor& dy) { return logsumexp_backward(dy, x, y, axes); });
}

Variable max(const Variable& x, const Shape& axes, bool keep) {
  auto [y, indices] = max_with_indices(x.value(), axes, keep);
  return record("max", y, {x}, [indices = Saved(indices), shape = x.shape(), axes](const Tensor& dy) {
    return max_backward(dy, indices, shape, axes);
  });
}

Variable min(const Variable& x, const Shape& axes, bool keep) {
  auto [y, indices] = min_with_indices(x.value(), axes, keep);
  return record("min", y, {x}, [indices = Saved(indices), shape = x.shape(), axes](const Tensor& dy) {
    return min_backward(dy, indices, shape, axes);
  });
}

}  // namespace heed
