// Layer norm and RMS norm: every row (the last axis) is brought to one scale.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// x (..., C); weight and bias (C,), each may be undefined: no factor, nothing added.
// layer_norm: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, the variance divided by C
// rms_norm:   y = x / sqrt(mean(x^2) + epsilon) * weight + bias
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor rms_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-6);

// The same with what the gradient needs, one number per row: mean (rows,), undefined for RMS norm, and scale (rows,),
// which is 1 / sqrt(variance + epsilon) or 1 / sqrt(mean(x^2) + epsilon).
struct NormStatistics {
  Tensor mean, scale;
};
struct Normed {
  Tensor y;
  NormStatistics rows;
};
Normed layer_norm_with_statistics(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Normed rms_norm_with_statistics(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-6);

// sum = x + residual and y = norm(sum) in one pass: what stands between two branches of a transformer. x and residual
// have one shape.
struct AddNormed {
  Tensor sum, y;
  NormStatistics rows;
};
AddNormed add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double epsilon = 1e-5);
AddNormed add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                       double epsilon = 1e-6);

// With n = (x - mean) * scale (no mean for RMS norm) and g = dy * weight:
// dx = scale * (g - mean(g) - n * mean(g * n)), without mean(g) for RMS norm;
// dweight = sum of dy * n, dbias = sum of dy over all rows. What is not wanted stays undefined. For add_..._norm x is
// the sum, and the gradient dsum that arrives there is added to dx, which is also that of the residual.
struct NormWants {
  bool x = true, weight = true, bias = true;
};
struct NormGrads {
  Tensor dx, dweight, dbias;
};
NormGrads layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                              const NormWants& wants = {}, const Tensor& dsum = {});
NormGrads rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                            const NormWants& wants = {}, const Tensor& dsum = {});

// The same from plain ops: the definition.
Tensor layer_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor rms_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-6);

// For the backends: y, sum, x, residual, dx, dy, dsum (rows, C); mean, scale (rows); weight, bias, dweight, dbias (C).
// Null pointers: weight and bias that are not there, the mean of RMS norm, sum and residual without one, gradients that
// are not wanted or did not arrive.
namespace kernels {
template <class E>
using Norm = Kernel<void(E* y, E* sum, E* mean, E* scale, const E* x, const E* residual, const E* weight, const E* bias,
                         long rows, long C, double epsilon)>;
template <class E>
using NormBackward = Kernel<void(E* dx, E* dweight, E* dbias, const E* dy, const E* dsum, const E* x, const E* weight,
                                 const E* mean, const E* scale, long rows, long C, void* workspace)>;
template <class E> inline Norm<E> layer_norm{"layer_norm"};
template <class E> inline Norm<E> rms_norm{"rms_norm"};
template <class E> inline NormBackward<E> layer_norm_backward{"layer_norm"};
template <class E> inline NormBackward<E> rms_norm_backward{"rms_norm"};
template <class E> inline Kernel<long(long rows, long C)> norm_workspace_bytes{"layer_norm"};
}  // namespace kernels

}  // namespace heed
