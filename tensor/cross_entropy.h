// Cross-entropy: the loss of a classifier or language model, in nats.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// logits (..., V), targets (...) in 0..V-1 -> scalar: the mean of -log softmax(logits)[target]; of no rows: 0.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets);
// dlogits = dy * (softmax(logits) - one_hot(targets)) / rows
Tensor cross_entropy_backward(const Tensor& dy, const Tensor& logits, const Tensor& targets);

// The same from plain ops: the definition.
Tensor cross_entropy_reference(const Tensor& logits, const Tensor& targets);

// For the backends: logits (rows, V), targets (rows).
namespace kernels {
template <class T>
inline Kernel<void(T* losses, const T* logits, const int64_t* targets, long rows, long V)> cross_entropy_rows{
    "cross_entropy"};
// dlogits = scale[0] / rows * (softmax - one_hot)
template <class T>
inline Kernel<void(T* dlogits, const T* scale, const T* logits, const int64_t* targets, long rows, long V)>
    cross_entropy_rows_backward{"cross_entropy"};
}  // namespace kernels

}  // namespace heed
