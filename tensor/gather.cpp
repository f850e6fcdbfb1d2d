#include "tensor/gather.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/indices.h"

namespace heed {
namespace {

GatherSizes sizes(const Shape& x, const Shape& indices, int axis) {
  bool fits = x.dims() == indices.dims();
  GatherSizes s;
  for (int i = 0; fits && i < x.dims(); i++) {
    fits = i == axis || x[i] == indices[i];
    if (i != axis) (i < axis ? s.outer : s.inner) *= x[i];
  }
  HEED_CHECK(fits, "gather", "x is ", x, " and the indices are ", indices, "; all sizes but that of axis ", axis,
             " must be equal");
  s.from = x[axis];
  s.picked = indices[axis];
  return s;
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Tensor& indices) {
  check_defined("gather", x);
  check_defined("gather", indices);
  axis = axis_of("gather", axis, x.shape());
  GatherSizes s = sizes(x.shape(), indices.shape(), axis);
  return visit_maths("gather", x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor index = checked_indices("gather", indices, s.from, x.device()), in = contiguous(x);
    Tensor y = Tensor::empty(indices.shape(), x.dtype(), x.device());
    kernels::gather<T>(x.device())(y.mutable_data<T>(), in.data<T>(), index.data<int64_t>(), s);
    return y;
  });
}

Tensor gather_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape) {
  check_defined("gather", dy);
  check_defined("gather", indices);
  HEED_CHECK(dy.shape() == indices.shape(), "gather", "dy is ", dy.shape(), " and the indices are ", indices.shape(),
             "; they must be equal");
  axis = axis_of("gather", axis, x_shape);
  GatherSizes s = sizes(x_shape, indices.shape(), axis);
  return visit_maths("gather", dy.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor index = checked_indices("gather", indices, s.from, dy.device()), given = contiguous(dy);
    Tensor dx = zeros(x_shape, dy.dtype(), dy.device());
    kernels::scatter_add<T>(dy.device())(dx.mutable_data<T>(), given.data<T>(), index.data<int64_t>(), s);
    return dx;
  });
}

}  // namespace heed
