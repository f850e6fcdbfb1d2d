// Layer norm and RMS norm: every row (the last axis) is brought to one scale. They are one op that differs in Centre:
// what is subtracted from a row first.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

enum class Centre { mean, none };  // mean: layer norm, none: RMS norm

// x (..., C); weight and bias (C,), each may be undefined: no factor, nothing added.
// layer_norm: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, the variance divided by C
// rms_norm:   y = x / sqrt(mean(x^2) + epsilon) * weight + bias
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor rms_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-6);

// sum = x + residual and y = norm(sum) in one pass, what stands between two branches of a transformer, with what the
// gradient needs: one number per row each. x and residual have one shape; the residual may be undefined: the sum is x.
struct NormStatistics {
  Tensor mean;   // (rows,), undefined for RMS norm
  Tensor scale;  // (rows,): 1 / sqrt(variance + epsilon) or 1 / sqrt(mean(x^2) + epsilon)
};
struct Normed {
  Tensor sum, y;
  NormStatistics rows;
};
Normed add_norm(Centre centre, const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                double epsilon);

// With n = (sum - mean) * scale (no mean for RMS norm) and g = dy * weight:
// dx = scale * (g - mean(g) - n * mean(g * n)) + dsum, without mean(g) for RMS norm; it is also the residual's;
// dweight = sum of dy * n, dbias = sum of dy over all rows. What is not wanted stays undefined; dsum, the gradient that
// arrives at the sum itself, may be undefined.
struct NormWants {
  bool x = true, weight = true, bias = true;
};
struct NormGrads {
  Tensor dx, dweight, dbias;
};
NormGrads norm_backward(Centre centre, const Tensor& dy, const Tensor& sum, const Tensor& weight,
                        const NormStatistics& rows, const NormWants& wants = {}, const Tensor& dsum = {});

// The same from plain ops: the definition.
Tensor layer_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor rms_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-6);

// For the backends. Pointers are null for what is not there, not wanted or did not arrive.
template <class E> struct NormRows {
  Centre centre;
  long rows, C;
  double epsilon;
  E *y, *sum;              // (rows, C); the sum is null without a residual
  E *mean, *scale;         // (rows); the mean is null for RMS norm
  const E *x, *residual;   // (rows, C)
  const E *weight, *bias;  // (C)
};
template <class E> struct NormRowsBackward {
  Centre centre;
  long rows, C;
  E *dx, *dweight, *dbias;   // (rows, C), (C), (C)
  const E *dy, *dsum, *sum;  // (rows, C)
  const E* weight;           // (C)
  const E *mean, *scale;     // (rows)
};
namespace kernels {
template <class E> inline Kernel<void(const NormRows<E>& s)> layer_norm{"layer_norm"};
template <class E> inline Kernel<void(const NormRowsBackward<E>& s, void* workspace)> layer_norm_backward{"layer_norm"};
template <class E> inline Kernel<long(long rows, long C)> layer_norm_workspace_bytes{"layer_norm"};
}  // namespace kernels

}  // namespace heed
