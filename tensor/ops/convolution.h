// Convolution over length, channels last.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct Conv1dOptions {
  long stride = 1;                           // tokens from one window to the next
  long padding_left = 0, padding_right = 0;  // zeros before and after x; causal: padding_left = dilation * (K - 1)
  long dilation = 1;                         // tokens from one tap of a window to the next
  long groups = 1;                           // channels are cut into groups that do not see each other; C: depth-wise
};

// x (B, T, C), weight (out, C / groups, K), bias (out,) or undefined -> (B, T', out) with
//
//   y[b, t, o] = bias[o] + sum over k, i of weight[o, i, k] * x[b, t * stride + k * dilation - padding_left, g(o) + i]
//   T' = (T + padding_left + padding_right - dilation * (K - 1) - 1) / stride + 1, rounded down
//
// where g(o) is the first channel of o's group. Tokens at the end that fill no window are left out.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options = {});
// dx[b, s, i] = sum of weight[o, i, k] * dy[b, t, o] over the taps that read s, in the order of k
Tensor conv1d_backward_x(const Tensor& dy, const Tensor& weight, const Shape& x_shape, const Conv1dOptions& options);
// dweight[o, i, k] = sum of dy[b, t, o] * x[b, t * stride + k * dilation - padding_left, i]; dbias is the sum of dy
Tensor conv1d_backward_weight(const Tensor& dy, const Tensor& x, const Shape& weight_shape,
                              const Conv1dOptions& options);

// The same by plain loops: the definition.
Tensor conv1d_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options = {});

// For the backends. A depth-wise convolution (groups = C = out) has kernels of its own, all others gather their windows
// into a matrix and multiply it.
namespace kernels {
struct Conv1dSizes {
  long B, T, C, windows, K;  // windows: T'
  Conv1dOptions options;

  // Where tap k of window t reads; outside of [0, T) are the zeros of the padding.
  constexpr long place(long t, long k) const {
    return t * options.stride + k * options.dilation - options.padding_left;
  }
  // The window whose tap k reads token p, or -1.
  constexpr long window_at(long p, long k) const {
    const long start = p + options.padding_left - k * options.dilation;
    if (start < 0 || start % options.stride != 0) return -1;
    return start / options.stride < windows ? start / options.stride : -1;
  }
};
// windows (groups, B, T', K, C / groups) from x (B, T, C), zeros outside of x; and its adjoint
template <class E> inline Kernel<void(E* windows, const E* x, const Conv1dSizes& s)> unfold{"conv1d"};
template <class E> inline Kernel<void(E* dx, const E* dwindows, const Conv1dSizes& s)> fold{"conv1d"};
// y (B, T', C), x (B, T, C), weight (K, C), bias (C) or null
template <class E>
inline Kernel<void(E* y, const E* x, const E* weight, const E* bias, const Conv1dSizes& s)> depthwise{"conv1d"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const E* weight, const Conv1dSizes& s)> depthwise_backward_x{"conv1d"};
template <class E>
inline Kernel<void(E* dweight, const E* dy, const E* x, const Conv1dSizes& s, void* workspace)>
    depthwise_backward_weight{"conv1d"};
template <class E> inline Kernel<long(const Conv1dSizes& s)> depthwise_workspace_bytes{"conv1d"};
}  // namespace kernels

}  // namespace heed
