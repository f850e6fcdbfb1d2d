#include "tensor/ops/scan.h"

#include "tensor/copy.h"
#include "tensor/ops/gather.h"

namespace heed {
namespace {

ScanSizes sizes(const Shape& shape, int axis) {
  ScanSizes s;
  s.count = shape[axis];
  for (int i = 0; i < shape.dims(); i++)
    if (i != axis) (i < axis ? s.outer : s.inner) *= shape[i];
  return s;
}

Tensor workspace_for(const ScanSizes& s, Device device) {
  return Tensor::empty({kernels::scan_workspace_bytes(device)(s)}, u8, device);
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis, bool reverse) {
  check_defined("cumsum", x);
  ScanSizes s = sizes(x.shape(), axis_of("cumsum", axis, x.shape()));
  return visit_maths("cumsum", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    Tensor workspace = workspace_for(s, x.device());
    kernels::cumsum<E>(x.device())(y.mutable_data<E>(), in.data<E>(), s, reverse, workspace.mutable_data<uint8_t>());
    return y;
  });
}

Tensor cumsum_backward(const Tensor& dy, int axis, bool reverse) { return cumsum(dy, axis, !reverse); }

MaxResult cumulative_max(const Tensor& x, int axis) {
  check_defined("cumulative_max", x);
  ScanSizes s = sizes(x.shape(), axis_of("cumulative_max", axis, x.shape()));
  return visit_maths("cumulative_max", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    Tensor indices = Tensor::empty(x.shape(), i64, x.device()), workspace = workspace_for(s, x.device());
    kernels::cumulative_max<E>(x.device())(y.mutable_data<E>(), indices.mutable_data<int64_t>(), in.data<E>(), s,
                                           workspace.mutable_data<uint8_t>());
    return MaxResult{y, indices};
  });
}

Tensor cumulative_max_backward(const Tensor& dy, const Tensor& indices, int axis) {
  check_defined("cumulative_max", dy);
  check_defined("cumulative_max", indices);
  HEED_CHECK(dy.shape() == indices.shape(), "cumulative_max", "dy is ", dy.shape(), " and the indices are ",
             indices.shape(), "; they must be those of cumulative_max");
  return gather_backward(dy, axis, indices, dy.shape());
}

}  // namespace heed
