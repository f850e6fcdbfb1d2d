// Scatter: puts elements to places along one axis that are given by index; the opposite of gather. The indices and the
// source have one shape, and x's sizes in all axes but `axis`. x itself stays as it is.
#pragma once

#include "tensor/kernel.h"
#include "tensor/ops/gather.h"
#include "tensor/tensor.h"

namespace heed {

// y = x with y[.., indices[.., r, ..], ..] = source[.., r, ..]. Of equal indices the last one (the highest r) wins.
// For every element type.
Tensor scatter(const Tensor& x, int axis, const Tensor& indices, const Tensor& source);
// dx = dy, but 0 where it was replaced; dsource[.., r, ..] = dy[.., indices[.., r, ..], ..], but 0 where another won.
struct ScatterGrads {
  Tensor dx, dsource;
};
ScatterGrads scatter_backward(const Tensor& dy, int axis, const Tensor& indices);

// y = x with y[.., indices[.., r, ..], ..] += source[.., r, ..], added in the order of r: the same bits every time.
// f32 and f64. dx = dy, dsource = gather(dy, axis, indices).
Tensor scatter_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& source);

// indices (...) in [0, classes) -> (..., classes): 1 where the last index is the given one, 0 elsewhere
Tensor one_hot(const Tensor& indices, long classes, DType dtype = f32);

// For the backends: y (outer, from, inner); source and indices (outer, picked, inner).
namespace kernels {
inline Move scatter{"scatter"};  // y is x before the call; arguments (y, source, indices, s, bytes)
// dx is dy before the call
template <class E>
inline Kernel<void(E* dx, E* dsource, const int64_t* indices, const GatherSizes& s)> scatter_backward{"scatter"};
// y is x before the call; also gather's gradient
template <class E>
inline Kernel<void(E* y, const E* source, const int64_t* indices, const GatherSizes& s)> scatter_add{"scatter_add"};
}  // namespace kernels

}  // namespace heed
