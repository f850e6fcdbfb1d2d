#include "autograd/ops/scatter.h"

#include "tensor/ops/indices.h"

namespace heed {

Variable scatter(const Variable& x, int axis, const Tensor& given, const Variable& source) {
  const Tensor indices = moved_once(
      x.value(), given, [&](Device device) { return checked_indices("scatter", given, x.size(axis), device); });
  return record("scatter", scatter(x.value(), axis, indices, source.value()), {x, source},
                [axis, indices = Saved(indices)](const Tensor& dy) {
                  auto [dx, dsource] = scatter_backward(dy, axis, indices);
                  return Grads{dx, dsource};
                });
}

// y = x + what is added: dx = dy, dsource = gather(dy)
Variable scatter_add(const Variable& x, int axis, const Tensor& given, const Variable& source) {
  const Tensor indices = moved_once(
      x.value(), given, [&](Device device) { return checked_indices("scatter_add", given, x.size(axis), device); });
  return record("scatter_add", scatter_add(x.value(), axis, indices, source.value()), {x, source},
                [axis, indices = Saved(indices), want_source = source.requires_grad()](const Tensor& dy) {
                  return Grads{dy, want_source ? gather(dy, axis, indices) : Tensor()};
                });
}

}  // namespace heed
