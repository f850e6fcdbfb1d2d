// Scans along one axis: every element gets what came before it, itself included.
#pragma once

#include "tensor/kernel.h"
#include "tensor/ops/reduce.h"
#include "tensor/tensor.h"

namespace heed {

// y_i = x_0 + ... + x_i; with reverse: y_i = x_i + ... + x_last. Added up in double, for f32 too.
Tensor cumsum(const Tensor& x, int axis, bool reverse = false);
// dx_i = the sum of all dy_j that x_i went into: the scan in the other direction
Tensor cumsum_backward(const Tensor& dy, int axis, bool reverse = false);

// values_i = max(x_0, ..., x_i); indices_i (i64) says where along the axis it stands: the first of equal ones. NaN
// wins.
MaxResult cumulative_max(const Tensor& x, int axis);
// dx_k = the sum of all dy_i with indices_i = k
Tensor cumulative_max_backward(const Tensor& dy, const Tensor& indices, int axis);

// For the backends: x and y are (outer, count, inner), scanned along count. The workspace has this many bytes, for
// either of the two.
struct ScanSizes {
  long outer = 1, count = 1, inner = 1;
};
namespace kernels {
inline Kernel<long(const ScanSizes& s)> scan_workspace_bytes{"cumsum"};
template <class E>
inline Kernel<void(E* y, const E* x, const ScanSizes& s, bool reverse, void* workspace)> cumsum{"cumsum"};
template <class E>
inline Kernel<void(E* y, int64_t* indices, const E* x, const ScanSizes& s, void* workspace)> cumulative_max{
    "cumulative_max"};
}  // namespace kernels

}  // namespace heed
