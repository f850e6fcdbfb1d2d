#include "tensor/ops/reduce.h"

#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  Shape inverse = Shape::filled(r.order.dims(), 0);
  for (int i = 0; i < r.order.dims(); i++) inverse[int(r.order[i])] = i;
  return permute(reshape(x, r.ordered), inverse);
}

void check_maths(const char* op, const Tensor& x) {
  check_defined(op, x);
  if (!is_maths(x.dtype())) fail_not_maths(op, x.dtype());
}

void check_dy(const char* op, const Tensor& dy, const Shape& x_shape, const Shape& axes, const Reduction& r) {
  check_defined(op, dy);
  HEED_CHECK(dy.shape() == r.kept || dy.shape() == r.dropped, op, "x is ", x_shape, " and dy is ", dy.shape(),
             "; with the axes ", axes, " dy must be ", r.dropped);
}

double divisor_of(const Reduction& r, int correction) { return std::max(0.0, double(r.count) - correction); }

enum class Best { max, min };

template <Best which> MaxResult best(const char* op, const Tensor& x, const Shape& axes, bool keep) {
  check_defined(op, x);
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Reduction r = plan(op, x.shape(), axes);
    HEED_CHECK(r.count > 0, op, "x is ", x.shape(), "; the ", which == Best::max ? "maximum" : "minimum",
               " of no elements is not defined");
    Tensor in = in_order(x, r), y = Tensor::empty(keep ? r.kept : r.dropped, x.dtype(), x.device());
    Tensor indices = Tensor::empty(y.shape(), i64, x.device());
    const auto& slot = which == Best::max ? kernels::max_rows<E> : kernels::min_rows<E>;
    slot(x.device())(y.template mutable_data<E>(), indices.mutable_data<int64_t>(), in.template data<E>(), r.outer,
                     r.count, r.inner);
    indices.storage()->note_within(0, r.count);
    return MaxResult{y, indices};
  });
}

// The indices of max_with_indices or min_with_indices say where each element of dy goes.
Tensor best_backward(const char* op, const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes) {
  check_defined(op, dy);
  return visit_maths(op, dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Reduction r = plan(op, x_shape, axes);
    check_dy(op, dy, x_shape, axes, r);
    HEED_CHECK(indices.shape() == dy.shape(), op, "dy is ", dy.shape(), " and the indices are ", indices.shape(),
               "; they must be those of ", op, "_with_indices");
    Tensor where = checked_indices(op, indices, r.count, dy.device());
    Tensor dx = zeros({r.outer, r.count, r.inner}, dy.dtype(), dy.device()), in = contiguous(dy);
    kernels::max_rows_backward<E>(dy.device())(dx.template mutable_data<E>(), in.template data<E>(),
                                               where.template data<int64_t>(), r.outer, r.count, r.inner);
    return out_of_order(dx, r);
  });
}

}  // namespace

Tensor sum(const Tensor& x, const Shape& axes, bool keep) {
  check_defined("sum", x);
  return visit_maths("sum", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Reduction r = plan("sum", x.shape(), axes);
    Tensor in = in_order(x, r), y = Tensor::empty(keep ? r.kept : r.dropped, x.dtype(), x.device());
    long bytes = kernels::sum_workspace_bytes<E>(x.device())(r.outer, r.count, r.inner);
    Tensor workspace = Tensor::empty({bytes}, u8, x.device());
    kernels::sum_rows<E>(x.device())(y.template mutable_data<E>(), in.template data<E>(), r.outer, r.count, r.inner,
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
  check_dy("sum", dy, x_shape, axes, r);
  return expand(reshape(dy, r.kept), x_shape);
}

Tensor mean_backward(const Tensor& dy, const Shape& x_shape, const Shape& axes) {
  return sum_backward(div(dy, double(plan("mean", x_shape, axes).count)), x_shape, axes);
}

Tensor variance(const Tensor& x, const Shape& axes, int correction, bool keep) {
  check_maths("variance", x);
  const double divisor = divisor_of(plan("variance", x.shape(), axes), correction);
  return div(sum(square(x - mean(x, axes, true)), axes, keep), divisor);
}

Tensor variance_backward(const Tensor& dy, const Tensor& x, const Shape& axes, int correction) {
  check_same_kind("variance", dy, x);
  Reduction r = plan("variance", x.shape(), axes);
  check_dy("variance", dy, x.shape(), axes, r);
  return (x - mean(x, axes, true)) * (reshape(dy, r.kept) * (2 / divisor_of(r, correction)));
}

Tensor logsumexp(const Tensor& x, const Shape& axes, bool keep) {
  check_maths("logsumexp", x);
  Reduction r = plan("logsumexp", x.shape(), axes);
  if (r.count == 0) return log(sum(x, axes, keep));                // log(0) = -inf
  Tensor top = max(x, axes, true);                                 // subtract the maximum: exp cannot overflow
  Tensor shift = masked_fill(top, equal(abs(top), kInfinity), 0);  // inf - inf would be NaN
  return reshape(shift + log(sum(exp(x - shift), axes, true)), keep ? r.kept : r.dropped);
}

Tensor logsumexp_backward(const Tensor& dy, const Tensor& x, const Tensor& y, const Shape& axes) {
  check_same_kind("logsumexp", dy, x);
  check_same_kind("logsumexp", dy, y);
  Reduction r = plan("logsumexp", x.shape(), axes);
  check_dy("logsumexp", dy, x.shape(), axes, r);
  HEED_CHECK(y.numel() == dy.numel(), "logsumexp", "dy is ", dy.shape(), " and y is ", y.shape(),
             "; they must be equal");
  Tensor shift = masked_fill(y, equal(y, -kInfinity), 0);  // exp(-inf - 0) is 0
  return exp(x - reshape(shift, r.kept)) * reshape(dy, r.kept);
}

MaxResult max_with_indices(const Tensor& x, const Shape& axes, bool keep) {
  return best<Best::max>("max", x, axes, keep);
}
Tensor max(const Tensor& x, const Shape& axes, bool keep) { return max_with_indices(x, axes, keep).values; }
Tensor argmax(const Tensor& x, const Shape& axes, bool keep) {
  return best<Best::max>("argmax", x, axes, keep).indices;
}
Tensor max_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes) {
  return best_backward("max", dy, indices, x_shape, axes);
}

MinResult min_with_indices(const Tensor& x, const Shape& axes, bool keep) {
  return best<Best::min>("min", x, axes, keep);
}
Tensor min(const Tensor& x, const Shape& axes, bool keep) { return min_with_indices(x, axes, keep).values; }
Tensor argmin(const Tensor& x, const Shape& axes, bool keep) {
  return best<Best::min>("argmin", x, axes, keep).indices;
}
Tensor min_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes) {
  return best_backward("min", dy, indices, x_shape, axes);
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
