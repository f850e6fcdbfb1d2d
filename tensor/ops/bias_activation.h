// y = f(x + bias) in one pass: what stands between the two products of a feed-forward layer.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

enum class Activation { relu, gelu, gelu_tanh, quick_gelu, silu };  // the formulas are in elementwise_table.h
const char* name(Activation f);

Tensor bias_activation(const Tensor& x, const Tensor& bias, Activation f);  // x (..., C), bias (C,)

// y = f(x + bias): dx = dy f'(x + bias), dbias = the sum of dx over all rows, undefined if it is not wanted.
struct BiasActivationGrads {
  Tensor dx, dbias;
};
BiasActivationGrads bias_activation_backward(const Tensor& dy, const Tensor& x, const Tensor& bias, Activation f,
                                             bool want_bias = true);

// The same from plain ops: the definition.
Tensor bias_activation_reference(const Tensor& x, const Tensor& bias, Activation f);

// For the backends: y, x (rows, C), bias (C).
template <class E> struct BiasActivationBackward {
  Activation f;
  long rows, C;
  E *dx, *dbias;    // (rows, C), (C); without dbias (null) no workspace is used
  const E *dy, *x;  // (rows, C)
  const E* bias;    // (C)
};
namespace kernels {
template <class E>
inline Kernel<void(E* y, const E* x, const E* bias, long rows, long C, Activation f)> bias_activation{
    "bias_activation"};
template <class E>
inline Kernel<void(const BiasActivationBackward<E>& s, void* workspace)> bias_activation_backward{"bias_activation"};
template <class E> inline Kernel<long(long rows, long C)> bias_activation_workspace_bytes{"bias_activation"};
}  // namespace kernels

}  // namespace heed
