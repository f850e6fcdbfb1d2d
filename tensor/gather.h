// Gather: picks elements along one axis by index.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// y[.., r, ..] = x[.., indices[.., r, ..], ..] along `axis`. The indices have x's sizes in all other axes.
Tensor gather(const Tensor& x, int axis, const Tensor& indices);
// dx[.., indices[.., r, ..], ..] += dy[.., r, ..], in the order of r
Tensor gather_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape);

// For the backends: x (outer, from, inner), indices and y (outer, picked, inner).
struct GatherSizes {
  long outer = 1, from = 1, picked = 1, inner = 1;
};
namespace kernels {
template <class T> inline Kernel<void(T* y, const T* x, const int64_t* indices, const GatherSizes& s)> gather{"gather"};
// dx is zero before the call
template <class T>
inline Kernel<void(T* dx, const T* dy, const int64_t* indices, const GatherSizes& s)> scatter_add{"gather"};
}  // namespace kernels

}  // namespace heed
