#include "autograd/ops/gather.h"

#include "tensor/ops/indices.h"

namespace heed {

Variable gather(const Variable& x, int axis, const Tensor& given) {
  const Tensor indices = moved_once(
      x.value(), given, [&](Device device) { return checked_indices("gather", given, x.size(axis), device); });
  return record("gather", gather(x.value(), axis, indices), {x},
                [axis, indices = Saved(indices), shape = x.shape()](const Tensor& dy) {
                  return gather_backward(dy, axis, indices, shape);
                });
}

Variable index_select(const Variable& x, int axis, const Tensor& given) {
  const Tensor indices = moved_once(
      x.value(), given, [&](Device device) { return checked_indices("index_select", given, x.size(axis), device); });
  return record("index_select", index_select(x.value(), axis, indices), {x},
                [axis, indices = Saved(indices), shape = x.shape()](const Tensor& dy) {
                  return index_select_backward(dy, axis, indices, shape);
                });
}

}  // namespace heed
