#include "tensor/ops/softmax.h"

#include <limits>

#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

// y (the shape of x) = kernel of x's rows; another axis is the last one of a transposed view. slot(E(), device) gives
// the kernel for elements E.
template <class Slot> Tensor forward(const char* op, const Tensor& x, int axis, Slot slot) {
  check_defined(op, x);
  axis = axis_of(op, axis, x.shape());
  if (axis != x.dims() - 1) return transpose(forward(op, transpose(x, axis, -1), -1, slot), axis, -1);
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    const long cols = x.size(-1), rows = cols ? x.numel() / cols : 0;
    slot(tag, x.device())(y.mutable_data<E>(), in.data<E>(), rows, cols);
    return y;
  });
}

template <class Slot> Tensor backward(const char* op, const Tensor& dy, const Tensor& y, int axis, Slot slot) {
  check_same_kind(op, dy, y);
  HEED_CHECK(dy.shape() == y.shape(), op, "dy is ", dy.shape(), " and y is ", y.shape(), "; they must be equal");
  axis = axis_of(op, axis, y.shape());
  if (axis != y.dims() - 1)
    return transpose(backward(op, transpose(dy, axis, -1), transpose(y, axis, -1), -1, slot), axis, -1);
  return visit_maths(op, y.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor given = contiguous(dy), out = contiguous(y), dx = Tensor::empty(y.shape(), y.dtype(), y.device());
    const long cols = y.size(-1), rows = cols ? y.numel() / cols : 0;
    slot(tag, y.device())(dx.mutable_data<E>(), given.data<E>(), out.data<E>(), rows, cols);
    return dx;
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return forward("softmax", x, axis, []<class E>(E, Device device) { return kernels::softmax_rows<E>(device); });
}
Tensor softmax_backward(const Tensor& dy, const Tensor& y, int axis) {
  return backward("softmax", dy, y, axis,
                  []<class E>(E, Device device) { return kernels::softmax_rows_backward<E>(device); });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return forward("log_softmax", x, axis,
                 []<class E>(E, Device device) { return kernels::log_softmax_rows<E>(device); });
}
Tensor log_softmax_backward(const Tensor& dy, const Tensor& y, int axis) {
  return backward("log_softmax", dy, y, axis,
                  []<class E>(E, Device device) { return kernels::log_softmax_rows_backward<E>(device); });
}

Tensor softmax_reference(const Tensor& x, int axis) {
  Tensor e = exp(x - max(x, {axis}, true));  // subtract the row maximum: exp cannot overflow
  return e / sum(e, {axis}, true);
}

Tensor log_softmax_reference(const Tensor& x, int axis) {
  Tensor total = logsumexp(x, {axis}, true);
  return x - masked_fill(total, equal(total, -std::numeric_limits<double>::infinity()), 0);  // -inf - 0 stays -inf
}

}  // namespace heed
