#include "autograd/ops/concatenate.h"

#include "tensor/views.h"

namespace heed {
namespace {

std::vector<Tensor> values_of(const std::vector<Variable>& parts) {
  std::vector<Tensor> values;
  for (const Variable& part : parts) values.push_back(part.value());
  return values;
}

}  // namespace

Variable concatenate(const std::vector<Variable>& parts, int axis) {
  Tensor y = concatenate(values_of(parts), axis);
  std::vector<long> sizes;
  for (const Variable& part : parts) sizes.push_back(part.size(axis));
  return record("concatenate", y, parts, [axis, sizes](const Tensor& dy) { return Grads(split(dy, sizes, axis)); });
}

Variable concatenate(std::initializer_list<Variable> parts, int axis) {
  return concatenate(std::vector<Variable>(parts), axis);
}

Variable stack(const std::vector<Variable>& parts, int axis) {
  return record("stack", stack(values_of(parts), axis), parts, [axis, count = long(parts.size())](const Tensor& dy) {
    std::vector<Tensor> grads;
    for (long i = 0; i < count; i++) grads.push_back(select(dy, axis, i));
    return Grads(std::move(grads));
  });
}

Variable stack(std::initializer_list<Variable> parts, int axis) { return stack(std::vector<Variable>(parts), axis); }

std::vector<Variable> split(const Variable& x, const std::vector<long>& sizes, int axis) {
  return record_many("split", split(x.value(), sizes, axis), {x},
                     [sizes, axis, shape = x.shape()](const std::vector<Tensor>& dys) {
                       return split_backward(dys, sizes, axis, shape);
                     });
}

std::vector<Variable> chunk(const Variable& x, long parts, int axis) {
  check_defined("chunk", x.value());
  return split(x, chunk_sizes(x.shape()[axis_of("chunk", axis, x.shape())], parts), axis);
}

}  // namespace heed
