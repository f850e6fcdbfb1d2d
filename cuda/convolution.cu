// Convolution: gathering windows, adding them up again, and the depth-wise kernels. A thread per output, which adds it
// up in the order of the taps. The gradient of the depth-wise weights is a sum over all windows: it is cut into pieces,
// whose sums are added in order.
#include "tensor/ops/convolution.h"

#include "cuda/walk.cuh"
#include "system/ceil_div.h"

namespace heed::cuda {
namespace {

using kernels::Conv1dSizes;

// windows (groups, B, T', K, C / groups), x (B, T, C)
template <class E> void unfold(E* windows, const E* x, const Conv1dSizes& s) {
  const long rows = s.B * s.windows, width = s.C / s.options.groups;
  for_elements("conv1d", s.options.groups * rows * s.K * width, [=] __device__(long e) {
    const long tap = e / width, row = tap / s.K, group = row / rows, window = row % rows;
    const long p = s.place(window % s.windows, tap % s.K);
    const bool there = p >= 0 && p < s.T;
    windows[e] = there ? x[(window / s.windows * s.T + p) * s.C + group * width + e % width] : E(0);
  });
}

// The adjoint: dx (B, T, C) = what the windows (groups, B, T', K, C / groups) that read it sent back
template <class E> void fold(E* dx, const E* dwindows, const Conv1dSizes& s) {
  const long width = s.C / s.options.groups;
  for_elements("conv1d", s.B * s.T * s.C, [=] __device__(long e) {
    const long row = e / s.C, c = e % s.C, b = row / s.T, p = row % s.T;
    const long sample = (c / width * s.B + b) * s.windows;
    E sum = 0;
    for (long k = 0; k < s.K; k++) {
      const long t = s.window_at(p, k);
      if (t >= 0) sum += dwindows[((sample + t) * s.K + k) * width + c % width];
    }
    dx[e] = sum;
  });
}

// y (B, T', C) = bias (C) + sum over k of weight (K, C) * x (B, T, C) where tap k reads
template <class E> void depthwise(E* y, const E* x, const E* weight, const E* bias, const Conv1dSizes& s) {
  for_elements("conv1d", s.B * s.windows * s.C, [=] __device__(long e) {
    const long row = e / s.C, c = e % s.C, b = row / s.windows, t = row % s.windows;
    E sum = bias ? bias[c] : E(0);
    for (long k = 0; k < s.K; k++) {
      const long p = s.place(t, k);
      if (p >= 0 && p < s.T) sum += weight[k * s.C + c] * x[(b * s.T + p) * s.C + c];
    }
    y[e] = sum;
  });
}

// dx (B, T, C) = sum over k of weight (K, C) * dy (B, T', C) of the window whose tap k reads here
template <class E> void depthwise_backward_x(E* dx, const E* dy, const E* weight, const Conv1dSizes& s) {
  for_elements("conv1d", s.B * s.T * s.C, [=] __device__(long e) {
    const long row = e / s.C, c = e % s.C, b = row / s.T, p = row % s.T;
    E sum = 0;
    for (long k = 0; k < s.K; k++) {
      const long t = s.window_at(p, k);
      if (t >= 0) sum += weight[k * s.C + c] * dy[(b * s.windows + t) * s.C + c];
    }
    dx[e] = sum;
  });
}

// ---- the gradient of the depth-wise weights

constexpr long kLeast = 32;  // rows of dy in a piece

long pieces_of(const Conv1dSizes& s) {
  const long rows = s.B * s.windows, enough = ceil_div(kEnoughThreads, std::max(1L, s.K * s.C));
  return std::min(enough, ceil_div(rows, kLeast));
}
template <class E> long workspace_bytes(const Conv1dSizes& s) { return pieces_of(s) * s.K * s.C * long(sizeof(E)); }

// A piece's sum of dy (B, T', C) * x (B, T, C) where tap k reads
template <class E> struct WeightPiece {
  E* partial;  // (pieces, K, C)
  const E *dy, *x;
  Conv1dSizes s;
  long piece;  // rows of one

  __device__ void operator()(long e) const {
    const long tap = e / s.C, c = e % s.C, k = tap % s.K, first = tap / s.K * piece;
    const long last = std::min(s.B * s.windows, first + piece);
    long b = first / s.windows, t = first % s.windows;
    E sum = 0;
    for (long row = first; row < last; row++) {
      const long p = s.place(t, k);
      if (p >= 0 && p < s.T) sum += dy[row * s.C + c] * x[(b * s.T + p) * s.C + c];
      if (++t == s.windows) t = 0, b++;
    }
    partial[e] = sum;
  }
};

// dweight (K, C) = the sum of the pieces
template <class E>
void depthwise_backward_weight(E* dweight, const E* dy, const E* x, const Conv1dSizes& s, void* workspace) {
  const long rows = s.B * s.windows, numel = s.K * s.C, wanted = pieces_of(s);
  const long piece = wanted == 0 ? 1 : ceil_div(rows, wanted), pieces = ceil_div(rows, piece);
  E* partial = static_cast<E*>(workspace);
  for_elements("conv1d", pieces * numel, WeightPiece<E>{partial, dy, x, s, piece});
  for_elements("conv1d", numel, [=] __device__(long e) {
    E sum = 0;
    for (long i = 0; i < pieces; i++) sum += partial[i * numel + e];
    dweight[e] = sum;
  });
}

const OnCuda convolution{[]<class E>(auto set) {
  set(kernels::unfold<E>, unfold<E>);
  set(kernels::fold<E>, fold<E>);
  set(kernels::depthwise<E>, depthwise<E>);
  set(kernels::depthwise_backward_x<E>, depthwise_backward_x<E>);
  set(kernels::depthwise_backward_weight<E>, depthwise_backward_weight<E>);
  set(kernels::depthwise_workspace_bytes<E>, workspace_bytes<E>);
}};

}  // namespace
}  // namespace heed::cuda
