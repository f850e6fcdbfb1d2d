// Softmax and its logarithm along one axis. How the gradient is made: the formulas stand below, the door is
// softmax.cpp, the loop tensor/cpu/softmax.cpp, and autograd/ops/softmax.cpp records it.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// y_i = exp(x_i - max x) / sum_j exp(x_j - max x). A row that is -inf throughout gives zeros, not NaN: nothing is
// visible there (the rule of attention's empty rows).
Tensor softmax(const Tensor& x, int axis = -1);
// y = softmax(x): dx = y * (dy - sum(y * dy))
Tensor softmax_backward(const Tensor& dy, const Tensor& y, int axis = -1);

// y_i = x_i - log sum_j exp(x_j). A row that is -inf throughout stays -inf and takes no gradient.
Tensor log_softmax(const Tensor& x, int axis = -1);
// y = log_softmax(x): dx = dy - exp(y) * sum(dy)
Tensor log_softmax_backward(const Tensor& dy, const Tensor& y, int axis = -1);

// The same from plain ops: the definition.
Tensor softmax_reference(const Tensor& x, int axis = -1);
Tensor log_softmax_reference(const Tensor& x, int axis = -1);

// For the backends: all are (rows, cols).
namespace kernels {
template <class E> inline Kernel<void(E* y, const E* x, long rows, long cols)> softmax_rows{"softmax"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const E* y, long rows, long cols)> softmax_rows_backward{"softmax"};
template <class E> inline Kernel<void(E* y, const E* x, long rows, long cols)> log_softmax_rows{"log_softmax"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const E* y, long rows, long cols)> log_softmax_rows_backward{"log_softmax"};
}  // namespace kernels

}  // namespace heed
