#include "autograd/gather.h"

namespace heed {

Variable gather(const Variable& x, int axis, const Tensor& indices) {
  return record("gather", gather(x.value(), axis, indices), {x},
                [axis, indices = Saved(indices), shape = x.shape()](const Tensor& dy) {
                  return gather_backward(dy, axis, indices, shape);
                });
}

}  // namespace heed
