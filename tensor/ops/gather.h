// Gather: picks elements or whole slices along one axis by index. Both work for every element type; gradients exist
// for f32 and f64.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// y[.., r, ..] = x[.., indices[.., r, ..], ..] along `axis`. The indices have x's sizes in all other axes.
Tensor gather(const Tensor& x, int axis, const Tensor& indices);
// dx[.., indices[.., r, ..], ..] += dy[.., r, ..], in the order of r
Tensor gather_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape);

// y[.., r, ..] = x[.., indices[r], ..] along `axis`: one list of indices (picked) for all. index_select(x, 0, ids)
// picks rows. It is gather with the indices repeated along the other axes, in runs instead of single elements.
Tensor index_select(const Tensor& x, int axis, const Tensor& indices);
// dx[.., indices[r], ..] += dy[.., r, ..], in the order of r
Tensor index_select_backward(const Tensor& dy, int axis, const Tensor& indices, const Shape& x_shape);

// For the backends: x (outer, from, inner), y (outer, picked, inner).
struct GatherSizes {
  long outer = 1, from = 1, picked = 1, inner = 1;
};
// x seen along `axis`; throws with the op's name unless the indices have x's sizes in all other axes.
GatherSizes gather_sizes(const char* op, const Shape& x, const Shape& indices, int axis);

namespace kernels {
// Elements are only moved: `bytes` (1, 2, 4 or 8) is the size of one.
using Move = Kernel<void(void* y, const void* x, const int64_t* indices, const GatherSizes& s, long bytes)>;
inline Move gather{"gather"};              // indices (outer, picked, inner)
inline Move index_select{"index_select"};  // indices (picked)
// dx (outer, from, inner) is zero before the call, dy (outer, picked, inner), indices (picked)
template <class E>
inline Kernel<void(E* dx, const E* dy, const int64_t* indices, const GatherSizes& s)> index_select_backward{
    "index_select"};
}  // namespace kernels

}  // namespace heed
