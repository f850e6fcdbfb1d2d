#include "autograd/ops/sort.h"

#include "tensor/ops/gather.h"

namespace heed {
namespace {

// y = x at the indices: dx[indices] = dy, 0 elsewhere (no index occurs twice)
BackwardOne picked(const Variable& x, int axis, const Tensor& indices) {
  return [axis, indices = Saved(indices), shape = x.shape()](const Tensor& dy) {
    return gather_backward(dy, axis, indices, shape);
  };
}

}  // namespace

SortedVariable sort(const Variable& x, int axis, bool descending) {
  auto [values, indices] = sort(x.value(), axis, descending);
  return {record("sort", values, {x}, picked(x, axis, indices)), indices};
}

SortedVariable topk(const Variable& x, long k, int axis, bool largest) {
  auto [values, indices] = topk(x.value(), k, axis, largest);
  return {record("topk", values, {x}, picked(x, axis, indices)), indices};
}

}  // namespace heed
