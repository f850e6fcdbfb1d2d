#include "autograd/ops/scan.h"

namespace heed {

Variable cumsum(const Variable& x, int axis, bool reverse) {
  return record("cumsum", cumsum(x.value(), axis, reverse), {x},
                [axis, reverse](const Tensor& dy) { return cumsum_backward(dy, axis, reverse); });
}

CumulativeMax cumulative_max(const Variable& x, int axis) {
  auto [y, indices] = cumulative_max(x.value(), axis);
  Variable values = record("cumulative_max", y, {x}, [indices = Saved(indices), axis](const Tensor& dy) {
    return cumulative_max_backward(dy, indices, axis);
  });
  return {values, indices};
}

}  // namespace heed
