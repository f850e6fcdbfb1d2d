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

// The two kernels of softmax or of log_softmax.
template <class E> struct Slots {
  const Kernel<void(E* y, const E* x, long rows, long cols)>& forward;
  const Kernel<void(E* dx, const E* dy, const E* y, long rows, long cols)>& backward;
};

template <class E> Slots<E> slots(bool logarithm) {
  if (logarithm) return {kernels::log_softmax_rows<E>, kernels::log_softmax_rows_backward<E>};
  return {kernels::softmax_rows<E>, kernels::softmax_rows_backward<E>};
}

Tensor forward(const char* op, bool logarithm, const Tensor& x, int axis) {
  check_defined(op, x);
  axis = axis_of(op, axis, x.shape());
  if (axis != x.dims() - 1) return transpose(forward(op, logarithm, transpose(x, axis, -1), -1), axis, -1);
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    long cols = x.size(-1), rows = cols ? x.numel() / cols : 0;
    slots<E>(logarithm).forward(x.device())(y.mutable_data<E>(), in.data<E>(), rows, cols);
    return y;
  });
}

Tensor backward(const char* op, bool logarithm, const Tensor& dy, const Tensor& y, int axis) {
  check_same_kind(op, dy, y);
  HEED_CHECK(dy.shape() == y.shape(), op, "dy is ", dy.shape(), " and y is ", y.shape(), "; they must be equal");
  axis = axis_of(op, axis, y.shape());
  if (axis != y.dims() - 1)
    return transpose(backward(op, logarithm, transpose(dy, axis, -1), transpose(y, axis, -1), -1), axis, -1);
  return visit_maths(op, y.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor given = contiguous(dy), out = contiguous(y), dx = Tensor::empty(y.shape(), y.dtype(), y.device());
    long cols = y.size(-1), rows = cols ? y.numel() / cols : 0;
    slots<E>(logarithm).backward(y.device())(dx.mutable_data<E>(), given.data<E>(), out.data<E>(), rows, cols);
    return dx;
  });
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) { return forward("softmax", false, x, axis); }
Tensor softmax_backward(const Tensor& dy, const Tensor& y, int axis) { return backward("softmax", false, dy, y, axis); }

Tensor log_softmax(const Tensor& x, int axis) { return forward("log_softmax", true, x, axis); }
Tensor log_softmax_backward(const Tensor& dy, const Tensor& y, int axis) {
  return backward("log_softmax", true, dy, y, axis);
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
