#include "tensor/ops/concatenate.h"

#include <string>

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {

Tensor concatenate(const std::vector<Tensor>& parts, int axis) {
  HEED_CHECK(!parts.empty(), "concatenate", "no tensors were given; it needs at least one");
  check_defined("concatenate", parts[0]);
  axis = axis_of("concatenate", axis, parts[0].shape());
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    check_same_kind("concatenate", parts[0], parts[i]);
    bool fits = parts[i].dims() == shape.dims();
    for (int d = 0; fits && d < shape.dims(); d++) fits = d == axis || parts[i].shape()[d] == shape[d];
    HEED_CHECK(fits, "concatenate", "part 0 is ", parts[0].shape(), " and part ", i, " is ", parts[i].shape(),
               "; all sizes but that of axis ", axis, " must be equal");
    HEED_CHECK(!__builtin_add_overflow(shape[axis], parts[i].shape()[axis], &shape[axis]), "concatenate",
               "the sizes along axis ", axis, " add up to more than 2^63 - 1");
  }
  Tensor y = Tensor::empty(shape, parts[0].dtype(), parts[0].device());
  long at = 0;
  for (const Tensor& part : parts) {
    copy_into(slice(y, axis, at, at + part.shape()[axis]), part);
    at += part.shape()[axis];
  }
  return y;
}

Tensor concatenate(std::initializer_list<Tensor> parts, int axis) {
  return concatenate(std::vector<Tensor>(parts), axis);
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
  HEED_CHECK(!parts.empty(), "stack", "no tensors were given; it needs at least one");
  check_defined("stack", parts[0]);
  const Shape& first = parts[0].shape();
  HEED_CHECK(axis >= -first.dims() - 1 && axis <= first.dims(), "stack", "axis ", axis,
             " is outside of the result; the parts are ", first, ", so the new axis is one of ", -first.dims() - 1,
             " to ", first.dims());
  if (axis < 0) axis += first.dims() + 1;
  Shape shape = first;
  shape.insert(axis, long(parts.size()));
  for (size_t i = 0; i < parts.size(); i++) {
    check_same_kind("stack", parts[0], parts[i]);
    HEED_CHECK(parts[i].shape() == first, "stack", "part 0 is ", first, " and part ", i, " is ", parts[i].shape(),
               "; they must be equal. Parts of different sizes: concatenate");
  }
  Tensor y = Tensor::empty(shape, parts[0].dtype(), parts[0].device());
  for (size_t i = 0; i < parts.size(); i++) copy_into(select(y, axis, long(i)), parts[i]);
  return y;
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) { return stack(std::vector<Tensor>(parts), axis); }

std::vector<Tensor> split(const Tensor& x, const std::vector<long>& sizes, int axis) {
  check_defined("split", x);
  axis = axis_of("split", axis, x.shape());
  long total = 0;
  bool fits = true;
  for (long size : sizes) fits = fits && size >= 0 && !__builtin_add_overflow(total, size, &total);
  if (!fits || total != x.size(axis)) {
    std::string given;
    for (long size : sizes) given += (given.empty() ? "" : ", ") + std::to_string(size);
    fail("split", "x is ", x.shape(), " and the sizes are [", given, "]; they must be 0 or more and add up to ",
         x.size(axis), ", its size along axis ", axis);
  }
  std::vector<Tensor> parts;
  long at = 0;
  for (long size : sizes) parts.push_back(slice(x, axis, at, at + size)), at += size;
  return parts;
}

std::vector<long> chunk_sizes(long size, long parts) {
  HEED_CHECK(parts >= 1, "chunk", "the number of parts is ", parts, "; it must be 1 or more");
  std::vector<long> sizes;
  for (long i = 0; i < parts; i++) sizes.push_back(size / parts + (i < size % parts));
  return sizes;
}

std::vector<Tensor> chunk(const Tensor& x, long parts, int axis) {
  check_defined("chunk", x);
  axis = axis_of("chunk", axis, x.shape());
  return split(x, chunk_sizes(x.size(axis), parts), axis);
}

Tensor split_backward(const std::vector<Tensor>& dys, const std::vector<long>& sizes, int axis, const Shape& x_shape) {
  Tensor some;
  for (const Tensor& dy : dys)
    if (dy.defined()) some = dy;
  check_defined("split", some);
  Tensor dx = Tensor::empty(x_shape, some.dtype(), some.device());
  const std::vector<Tensor> places = split(dx, sizes, axis);
  HEED_CHECK(places.size() == dys.size(), "split", "there are ", dys.size(), " gradients for ", places.size(),
             " parts");
  for (size_t i = 0; i < dys.size(); i++) {
    if (dys[i].defined())
      copy_into(places[i], dys[i]);
    else
      fill(places[i], 0);
  }
  return dx;
}

}  // namespace heed
