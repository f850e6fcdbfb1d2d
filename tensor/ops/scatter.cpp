#include "tensor/ops/scatter.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

// Checks what is given; `axis` counts from the front afterwards.
GatherSizes checked_sizes(const char* op, const Tensor& x, int& axis, const Tensor& indices, const Tensor& source) {
  check_defined(op, indices);
  check_same_kind(op, x, source);
  axis = axis_of(op, axis, x.shape());
  HEED_CHECK(source.shape() == indices.shape(), op, "the source is ", source.shape(), " and the indices are ",
             indices.shape(), "; they must be equal. One value for all places: expand(source, indices.shape())");
  return gather_sizes(op, x.shape(), indices.shape(), axis);
}

}  // namespace

Tensor scatter(const Tensor& x, int axis, const Tensor& indices, const Tensor& source) {
  GatherSizes s = checked_sizes("scatter", x, axis, indices, source);
  Tensor index = checked_indices("scatter", indices, s.from, x.device()), in = contiguous(source), y = clone(x);
  visit(x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::scatter(x.device())(y.mutable_data<E>(), in.data<E>(), index.data<int64_t>(), s, sizeof(E));
  });
  return y;
}

ScatterGrads scatter_backward(const Tensor& dy, int axis, const Tensor& indices) {
  check_defined("scatter", dy);
  check_defined("scatter", indices);
  axis = axis_of("scatter", axis, dy.shape());
  GatherSizes s = gather_sizes("scatter", dy.shape(), indices.shape(), axis);
  return visit_maths("scatter", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("scatter", indices, s.from, dy.device()), dx = clone(dy);
    Tensor dsource = Tensor::empty(indices.shape(), dy.dtype(), dy.device());
    kernels::scatter_backward<E>(dy.device())(dx.mutable_data<E>(), dsource.mutable_data<E>(), index.data<int64_t>(),
                                              s);
    return ScatterGrads{dx, dsource};
  });
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source) {
  GatherSizes s = checked_sizes("scatter_add", x, axis, indices, source);
  return visit_maths("scatter_add", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("scatter_add", indices, s.from, x.device()), in = contiguous(source), y = clone(x);
    kernels::scatter_add<E>(x.device())(y.mutable_data<E>(), in.data<E>(), index.data<int64_t>(), s);
    return y;
  });
}

Tensor one_hot(const Tensor& indices, long classes, DType dtype) {
  check_defined("one_hot", indices);
  HEED_CHECK(classes >= 0, "one_hot", "the number of classes is ", classes, "; it must be 0 or more");
  Tensor index = checked_indices("one_hot", indices, classes, indices.device());
  Shape shape = indices.shape();
  shape.push_back(classes);
  Tensor y = zeros(shape, dtype, indices.device()), one = ones(indices.shape(), dtype, indices.device());
  const GatherSizes s{.outer = index.numel(), .from = classes};
  visit(dtype, [&](auto tag) {
    using E = decltype(tag);
    kernels::scatter(indices.device())(y.mutable_data<E>(), one.data<E>(), index.data<int64_t>(), s, sizeof(E));
  });
  return y;
}

}  // namespace heed
