#include "autograd/ops/softmax.h"

namespace heed {

Variable softmax(const Variable& x, int axis) {
  Tensor y = softmax(x.value(), axis);
  return record("softmax", y, {x}, [y = Saved(y), axis](const Tensor& dy) { return softmax_backward(dy, y, axis); });
}

Variable log_softmax(const Variable& x, int axis) {
  Tensor y = log_softmax(x.value(), axis);
  return record("log_softmax", y, {x},
                [y = Saved(y), axis](const Tensor& dy) { return log_softmax_backward(dy, y, axis); });
}

}  // namespace heed
