#include "tensor/reduce.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/indices.h"
#include "tensor/views.h"

namespace heed {
namespace {

// How x is brought into the form (outer, count, inner), in which the kernels reduce over `count`.
struct Reduction {
  Shape order;          // permutation that brings the reduced axes together
  Shape ordered;        // x's sizes in that order
  Shape kept, dropped;  // shape of the result, with the reduced axes as 1 and without them
  long outer = 1, count = 1, inner = 1;
};

Reduction plan(const char* op, const Shape& shape, const Shape& axes) {
  bool reduced[kMaxDims] = {};
  for (long axis : axes) {
    bool& flag = reduced[axis_of(op, axis, shape)];
    HEED_CHECK(!flag, op, "x is ", shape, " and the axes ", axes, " name one axis twice");
    flag = true;
  }
  if (axes.dims() == 0) std::fill_n(reduced, shape.dims(), true);
  Reduction r;
  int first = -1, last = -1;
  for (int i = 0; i < shape.dims(); i++) {
    r.kept.push_back(reduced[i] ? 1 : shape[i]);
    if (!reduced[i]) r.dropped.push_back(shape[i]);
    if (reduced[i]) first = first < 0 ? i : first, last = i;
  }
  // Kept axes before the last reduced one go in front; those after it stay behind, so neighbours need no copy.
  for (int i = 0; i < last; i++)
    if (!reduced[i]) r.order.push_back(i), r.outer *= shape[i];
  for (int i = first; first >= 0 && i <= last; i++)
    if (reduced[i]) r.order.push_back(i), r.count *= shape[i];
  for (int i = last + 1; i < shape.dims(); i++) r.order.push_back(i), r.inner *= shape[i];
  for (long axis : r.order) r.ordered.push_back(shape[int(axis)]);
  return r;
}

Tensor in_order(const Tensor& x, const Reduction& r) { return contiguous(permute(x, r.order)); }

// A tensor in the plan's order, shown again with x's axes.
Tensor out_of_order(const Tensor& x, const Reduction& r) {
  Shape inverse(r.order.dims(), 0);
  for (int i = 0; i < r.order.dims(); i++) inverse[int(r.order[i])] = i;
  return permute(reshape(x, r.ordered), inverse);
}

}  // namespace

Tensor sum(const Tensor& x, const Shape& axes, bool keep) {
  check_defined("sum", x);
  return visit_maths("sum", x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Reduction r = plan("sum", x.shape(), axes);
    Tensor in = in_order(x, r), y = Tensor::empty(keep ? r.kept : r.dropped, x.dtype(), x.device());
    long bytes = kernels::sum_workspace_bytes<T>(x.device())(r.outer, r.count, r.inner);
    Tensor workspace = Tensor::empty({bytes}, u8, x.device());
    kernels::sum_rows<T>(x.device())(y.template mutable_data<T>(), in.template data<T>(), r.outer, r.count, r.inner,
                                     workspace.mutable_data<uint8_t>());
    return y;
  });
}

Tensor mean(const Tensor& x, const Shape& axes, bool keep) {
  check_defined("mean", x);
  return div(sum(x, axes, keep), double(plan("mean", x.shape(), axes).count));
}

Tensor sum_backward(const Tensor& dy, const Shape& x_shape, const Shape& axes) {
  Reduction r = plan("sum", x_shape, axes);
  HEED_CHECK(dy.shape() == r.kept || dy.shape() == r.dropped, "sum", "x is ", x_shape, " and dy is ", dy.shape(),
             "; with the axes ", axes, " dy must be ", r.dropped);
  return expand(reshape(dy, r.kept), x_shape);
}

Tensor mean_backward(const Tensor& dy, const Shape& x_shape, const Shape& axes) {
  return sum_backward(div(dy, double(plan("mean", x_shape, axes).count)), x_shape, axes);
}

MaxResult max_with_indices(const Tensor& x, const Shape& axes, bool keep) {
  check_defined("max", x);
  return visit_maths("max", x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Reduction r = plan("max", x.shape(), axes);
    HEED_CHECK(r.count > 0, "max", "x is ", x.shape(), "; the maximum of no elements is not defined");
    Tensor in = in_order(x, r), y = Tensor::empty(keep ? r.kept : r.dropped, x.dtype(), x.device());
    Tensor indices = Tensor::empty(y.shape(), i64, x.device());
    kernels::max_rows<T>(x.device())(y.template mutable_data<T>(), indices.mutable_data<int64_t>(),
                                     in.template data<T>(), r.outer, r.count, r.inner);
    return MaxResult{y, indices};
  });
}

Tensor max(const Tensor& x, const Shape& axes, bool keep) { return max_with_indices(x, axes, keep).values; }

Tensor argmax(const Tensor& x, int axis, bool keep) { return max_with_indices(x, {axis}, keep).indices; }

Tensor max_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes) {
  check_defined("max", dy);
  return visit_maths("max", dy.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Reduction r = plan("max", x_shape, axes);
    HEED_CHECK(dy.shape() == r.kept || dy.shape() == r.dropped, "max", "x is ", x_shape, " and dy is ", dy.shape(),
               "; with the axes ", axes, " dy must be ", r.dropped);
    HEED_CHECK(indices.shape() == dy.shape(), "max", "dy is ", dy.shape(), " and the indices are ", indices.shape(),
               "; they must be those of max_with_indices");
    Tensor where = checked_indices("max", indices, r.count, dy.device());
    Tensor dx = zeros({r.outer, r.count, r.inner}, dy.dtype(), dy.device()), in = contiguous(dy);
    kernels::max_rows_backward<T>(dy.device())(dx.template mutable_data<T>(), in.template data<T>(),
                                               where.template data<int64_t>(), r.outer, r.count, r.inner);
    return out_of_order(dx, r);
  });
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_defined("sum_to", x);
  if (x.shape() == shape) return x;
  HEED_CHECK(broadcast("sum_to", x.shape(), shape) == x.shape(), "sum_to", "x is ", x.shape(), " and ", shape,
             " does not broadcast to it");
  Shape axes;
  int shift = x.dims() - shape.dims();
  for (int i = 0; i < x.dims(); i++)
    if (i < shift || (shape[i - shift] == 1 && x.shape()[i] != 1)) axes.push_back(i);
  return reshape(axes.dims() ? sum(x, axes) : x, shape);
}

}  // namespace heed
