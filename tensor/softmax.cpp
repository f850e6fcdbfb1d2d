#include "tensor/softmax.h"

#include "tensor/copy.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace heed {

Tensor softmax(const Tensor& x, int axis) {
  check_defined("softmax", x);
  axis = axis_of("softmax", axis, x.shape());
  if (axis != x.dims() - 1) return transpose(softmax(transpose(x, axis, -1)), axis, -1);
  return visit_maths("softmax", x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    long cols = x.size(-1), rows = cols ? x.numel() / cols : 0;
    kernels::softmax_rows<T>(x.device())(y.mutable_data<T>(), in.data<T>(), rows, cols);
    return y;
  });
}

Tensor softmax_backward(const Tensor& dy, const Tensor& y, int axis) {
  check_same_kind("softmax", dy, y);
  HEED_CHECK(dy.shape() == y.shape(), "softmax", "dy is ", dy.shape(), " and y is ", y.shape(), "; they must be equal");
  axis = axis_of("softmax", axis, y.shape());
  if (axis != y.dims() - 1)
    return transpose(softmax_backward(transpose(dy, axis, -1), transpose(y, axis, -1)), axis, -1);
  return visit_maths("softmax", y.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor given = contiguous(dy), out = contiguous(y), dx = Tensor::empty(y.shape(), y.dtype(), y.device());
    long cols = y.size(-1), rows = cols ? y.numel() / cols : 0;
    kernels::softmax_rows_backward<T>(y.device())(dx.mutable_data<T>(), given.data<T>(), out.data<T>(), rows, cols);
    return dx;
  });
}

Tensor softmax_reference(const Tensor& x, int axis) {
  Tensor e = exp(x - max(x, {axis}, true));  // subtract the row maximum: exp cannot overflow
  return e / sum(e, {axis}, true);
}

}  // namespace heed
