#include "autograd/concatenate.h"

#include "tensor/views.h"

namespace heed {

Variable concatenate(const std::vector<Variable>& parts, int axis) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  Tensor y = concatenate(values, axis);
  std::vector<long> sizes;
  for (const Variable& part : parts) sizes.push_back(part.size(axis));
  return record("concatenate", y, parts, [axis, sizes](const Tensor& dy) {
    std::vector<Tensor> grads;
    long at = 0;
    for (long size : sizes) grads.push_back(slice(dy, axis, at, at + size)), at += size;
    return Grads(std::move(grads));
  });
}

}  // namespace heed
