// Choosing between elements: where, masked_fill, clamp.
#pragma once

#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tensor/tensor.h"

namespace heed {

// y = a where the condition is true, b elsewhere. The condition is boolean, a and b have any one type; all three
// broadcast. The gradient: da = dy where the condition is true, db = dy elsewhere, 0 in the other places.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// y = value (as x's type) where the mask is TRUE, x elsewhere; y has x's shape, the mask broadcasts to it. Beware:
// attention's masks say where one may look, so scores are hidden by masked_fill(scores, logical_not(mask), -inf).
// The gradient: dx = masked_fill(dy, mask, 0).
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

// y = low where x < low, high where x > high, x elsewhere; NaN stays. low <= high; either may be infinite.
Tensor clamp(const Tensor& x, double low, double high);
// dx = dy where low <= x <= high, 0 elsewhere
Tensor clamp_backward(const Tensor& dy, const Tensor& x, double low, double high);

// For the backends. Outputs are row-major; the loop's operands are in the order of the pointers.
namespace kernels {
using Where = Kernel<void(void* y, const bool* condition, const void* a, const void* b, DType dtype, const Loop& loop)>;
inline Where where{"where"};
template <class E> inline Kernel<void(E* y, const E* x, E low, E high, const Loop& loop)> clamp{"clamp"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const E* x, E low, E high, const Loop& loop)> clamp_backward{"clamp"};
}  // namespace kernels

}  // namespace heed
