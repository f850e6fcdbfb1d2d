#include "tensor/ops/gather.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/scatter.h"

namespace heed {
namespace {

// x (outer, from, inner), one list of indices
GatherSizes select_sizes(const Shape& x, const Shape& indices, int axis) {
  HEED_CHECK(indices.dims() == 1, "index_select", "the indices are ", indices,
             "; they must be one list (n,). Where every place has its own index use gather");
  Shape picked = x;
  picked[axis] = indices[0];
  return gather_sizes("index_select", x, picked, axis);
}

}  // namespace

GatherSizes gather_sizes(const char* op, const Shape& x, const Shape& indices, int axis) {
  bool fits = x.dims() == indices.dims();
  GatherSizes s;
  for (int i = 0; fits && i < x.dims(); i++) {
    fits = i == axis || x[i] == indices[i];
    if (i != axis) (i < axis ? s.outer : s.inner) *= x[i];
  }
  HEED_CHECK(fits, op, "x is ", x, " and the indices are ", indices, "; all sizes but that of axis ", axis,
             " must be equal");
  s.from = x[axis];
  s.picked = indices[axis];
  return s;
}

Tensor gather(const Tensor& x, int axis, const Tensor& indices) {
  check_defined("gather", x);
  check_defined("gather", indices);
  axis = axis_of("gather", axis, x.shape());
  GatherSizes s = gather_sizes("gather", x.shape(), indices.shape(), axis);
  Tensor index = checked_indices("gather", indices, s.from, x.device()), in = contiguous(x);
  Tensor y = Tensor::empty(indices.shape(), x.dtype(), x.device());
  visit(x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::gather(x.device())(y.mutable_data<E>(), in.data<E>(), index.data<int64_t>(), s, sizeof(E));
  });
  return y;
}

Tensor gather_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape) {
  check_defined("gather", dy);
  check_defined("gather", indices);
  HEED_CHECK(dy.shape() == indices.shape(), "gather", "dy is ", dy.shape(), " and the indices are ", indices.shape(),
             "; they must be equal");
  axis = axis_of("gather", axis, x_shape);
  GatherSizes s = gather_sizes("gather", x_shape, indices.shape(), axis);
  return visit_maths("gather", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("gather", indices, s.from, dy.device()), given = contiguous(dy);
    Tensor dx = zeros(x_shape, dy.dtype(), dy.device());
    kernels::scatter_add<E>(dy.device())(dx.mutable_data<E>(), given.data<E>(), index.data<int64_t>(), s);
    return dx;
  });
}

Tensor index_select(const Tensor& x, int axis, const Tensor& indices) {
  check_defined("index_select", x);
  check_defined("index_select", indices);
  axis = axis_of("index_select", axis, x.shape());
  GatherSizes s = select_sizes(x.shape(), indices.shape(), axis);
  Tensor index = checked_indices("index_select", indices, s.from, x.device()), in = contiguous(x);
  Shape shape = x.shape();
  shape[axis] = s.picked;
  Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  visit(x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::index_select(x.device())(y.mutable_data<E>(), in.data<E>(), index.data<int64_t>(), s, sizeof(E));
  });
  return y;
}

Tensor index_select_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape) {
  check_defined("index_select", dy);
  check_defined("index_select", indices);
  axis = axis_of("index_select", axis, x_shape);
  GatherSizes s = select_sizes(x_shape, indices.shape(), axis);
  Shape wanted = x_shape;
  wanted[axis] = s.picked;
  HEED_CHECK(dy.shape() == wanted, "index_select", "x is ", x_shape, ", the indices are ", indices.shape(),
             " and dy is ", dy.shape(), "; along axis ", axis, " dy must be ", wanted);
  return visit_maths("index_select", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("index_select", indices, s.from, dy.device()), given = contiguous(dy);
    Tensor dx = zeros(x_shape, dy.dtype(), dy.device());
    kernels::index_select_backward<E>(dy.device())(dx.mutable_data<E>(), given.data<E>(), index.data<int64_t>(), s);
    return dx;
  });
}

}  // namespace heed
