// Pooling over length, channels last: the maximum or the mean of each window of tokens.
#pragma once

#include <algorithm>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct PoolOptions {
  long window = 2;
  long stride = 0;                           // tokens from one window to the next; 0: as many as the window has
  long padding_left = 0, padding_right = 0;  // smaller than the window
  bool partial = false;                      // also a last window that is cut short by the end of the input?
};

// x (B, T, C) -> (B, T', C). Window t holds the tokens from t * stride - padding_left on. Padding never counts: it is
// no candidate for the maximum, and a mean is divided by the number of real tokens in its window.
//
//   T' = (T + padding_left + padding_right - window) / stride + 1, rounded down: tokens at the end that do not fill
//   a window are left out. With partial = true it is rounded up, but every window holds at least one real token.
//
// T must be at least 1. The maximum: NaN wins, and of equal elements the first counts.
Tensor max_pool1d(const Tensor& x, const PoolOptions& options);
Tensor mean_pool1d(const Tensor& x, const PoolOptions& options);

struct MaxPoolResult {
  Tensor values, indices;  // indices (B, T', C) are i64: the token at which each maximum stands
};
MaxPoolResult max_pool1d_with_indices(const Tensor& x, const PoolOptions& options);
// dx[b, indices[b, t, c], c] += dy[b, t, c], in the order of t
Tensor max_pool1d_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape);
// dx[b, s, c] = sum of dy[b, t, c] / (real tokens of window t) over the windows that hold s, in the order of t
Tensor mean_pool1d_backward(const Tensor& dy, const Shape& x_shape, const PoolOptions& options);

// The mean over the first lengths[b] tokens: x (B, T, C), lengths (B,) in 0..T -> (B, C). The tokens behind them have
// no influence, whatever they hold. The mean of no tokens is 0.
Tensor masked_mean(const Tensor& x, const Tensor& lengths);
// dx[b, t] = dy[b] / lengths[b] for t < lengths[b], 0 behind
Tensor masked_mean_backward(const Tensor& dy, const Tensor& lengths, const Shape& x_shape);

// The same from plain ops: the definition.
Tensor max_pool1d_reference(const Tensor& x, const PoolOptions& options);
Tensor mean_pool1d_reference(const Tensor& x, const PoolOptions& options);
Tensor masked_mean_reference(const Tensor& x, const Tensor& lengths);

// For the backends: x, dx (B, T, C); y, dy, indices (B, T', C).
namespace kernels {
struct PoolSizes {
  long B, T, C, windows;  // windows: T'
  long window, stride, padding_left;
};
struct PoolRange {
  long begin, end;
};
// The real tokens of window t.
constexpr PoolRange tokens_of(const PoolSizes& s, long t) {
  const long first = t * s.stride - s.padding_left;
  return {std::max(first, 0L), std::min(first + s.window, s.T)};
}
// The windows that hold token p: those with t * stride - padding_left <= p < t * stride - padding_left + window.
constexpr PoolRange windows_with(const PoolSizes& s, long p) {
  const long last = p + s.padding_left, before = last - s.window;  // first places of windows are in (before, last]
  return {before < 0 ? 0 : before / s.stride + 1, std::min(last / s.stride + 1, s.windows)};
}
template <class E> inline Kernel<void(E* y, int64_t* indices, const E* x, const PoolSizes& s)> max_pool1d{"max_pool1d"};
template <class E> inline Kernel<void(E* y, const E* x, const PoolSizes& s)> mean_pool1d{"mean_pool1d"};
template <class E> inline Kernel<void(E* dx, const E* dy, const PoolSizes& s)> mean_pool1d_backward{"mean_pool1d"};
// x, dx (B, T, C); lengths (B); y, dy (B, C)
template <class E>
inline Kernel<void(E* y, const E* x, const int64_t* lengths, long B, long tokens, long C)> masked_mean{"masked_mean"};
template <class E>
inline Kernel<void(E* dx, const E* dy, const int64_t* lengths, long B, long tokens, long C)> masked_mean_backward{
    "masked_mean"};
}  // namespace kernels

}  // namespace heed
