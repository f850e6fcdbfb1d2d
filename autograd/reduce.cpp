#include "autograd/reduce.h"

namespace heed {

Variable sum(const Variable& x, const Shape& axes, bool keep) {
  return record("sum", sum(x.value(), axes, keep), {x},
                [shape = x.shape(), axes](const Tensor& dy) { return sum_backward(dy, shape, axes); });
}

Variable mean(const Variable& x, const Shape& axes, bool keep) {
  return record("mean", mean(x.value(), axes, keep), {x},
                [shape = x.shape(), axes](const Tensor& dy) { return mean_backward(dy, shape, axes); });
}

Variable max(const Variable& x, const Shape& axes, bool keep) {
  auto [y, indices] = max_with_indices(x.value(), axes, keep);
  return record("max", y, {x}, [indices = Saved(indices), shape = x.shape(), axes](const Tensor& dy) {
    return max_backward(dy, indices, shape, axes);
  });
}

}  // namespace heed
