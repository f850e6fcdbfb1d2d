// Convolution: gathering windows, adding them up again, and the depth-wise kernels. Each output is added up by one
// thread in the order of the taps.
#include "tensor/ops/convolution.h"

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::Conv1dSizes;

// windows (groups, B, T', K, C / groups), x (B, T, C)
template <class E> void unfold_cpu(E* windows, const E* x, const Conv1dSizes& s) {
  const long rows = s.B * s.windows, width = s.C / s.options.groups;
  parallel_for(s.options.groups * rows, rows_grain(s.K * width), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const long group = row / rows, b = row % rows / s.windows, t = row % s.windows;
      for (long k = 0; k < s.K; k++) {
        E* to = windows + (row * s.K + k) * width;
        const long p = s.place(t, k);
        if (p >= 0 && p < s.T)
          std::copy_n(x + (b * s.T + p) * s.C + group * width, width, to);
        else
          std::fill_n(to, width, E(0));
      }
    }
  });
}

// The adjoint: dx (B, T, C) = what the windows (groups, B, T', K, C / groups) that read it sent back
template <class E> void fold_cpu(E* dx, const E* dwindows, const Conv1dSizes& s) {
  const long width = s.C / s.options.groups;
  parallel_for(s.B * s.T, rows_grain(s.K * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      std::fill_n(dx + row * s.C, s.C, E(0));
      for (long k = 0; k < s.K; k++) {
        const long b = row / s.T, t = s.window_at(row % s.T, k);
        for (long group = 0; t >= 0 && group < s.options.groups; group++) {
          const E* from = dwindows + (((group * s.B + b) * s.windows + t) * s.K + k) * width;
          E* to = dx + row * s.C + group * width;
          for (long c = 0; c < width; c++) to[c] += from[c];
        }
      }
    }
  });
}

// y (B, T', C) = bias (C) + sum over k of weight (K, C) * x (B, T, C) where tap k reads
template <class E> void depthwise_cpu(E* y, const E* x, const E* weight, const E* bias, const Conv1dSizes& s) {
  parallel_for(s.B * s.windows, rows_grain(s.K * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      E* to = y + row * s.C;
      if (bias)
        std::copy_n(bias, s.C, to);
      else
        std::fill_n(to, s.C, E(0));
      for (long k = 0; k < s.K; k++) {
        const long b = row / s.windows, p = s.place(row % s.windows, k);
        if (p < 0 || p >= s.T) continue;
        const E *from = x + (b * s.T + p) * s.C, *w = weight + k * s.C;
        for (long c = 0; c < s.C; c++) to[c] += w[c] * from[c];
      }
    }
  });
}

// dx (B, T, C) = sum over k of weight (K, C) * dy (B, T', C) of the window whose tap k reads here
template <class E> void depthwise_backward_x_cpu(E* dx, const E* dy, const E* weight, const Conv1dSizes& s) {
  parallel_for(s.B * s.T, rows_grain(s.K * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      E* to = dx + row * s.C;
      std::fill_n(to, s.C, E(0));
      for (long k = 0; k < s.K; k++) {
        const long b = row / s.T, t = s.window_at(row % s.T, k);
        if (t < 0) continue;
        const E *from = dy + (b * s.windows + t) * s.C, *w = weight + k * s.C;
        for (long c = 0; c < s.C; c++) to[c] += w[c] * from[c];
      }
    }
  });
}

// Rows of dy per block: each block adds up its own dweight. At least 4 K, so that the workspace stays below dy / 4.
long block_of(const Conv1dSizes& s) { return std::max({64L, 4 * s.K, kElementGrain / std::max(1L, s.K * s.C)}); }
long blocks_of(const Conv1dSizes& s) { return ceil_div(s.B * s.windows, block_of(s)); }
template <class E> long workspace_cpu(const Conv1dSizes& s) { return blocks_of(s) * s.K * s.C * long(sizeof(E)); }

// dweight (K, C) = sum over b and t of dy (B, T', C) * x (B, T, C) where tap k reads; workspace (blocks, K, C)
template <class E>
void depthwise_backward_weight_cpu(E* dweight, const E* dy, const E* x, const Conv1dSizes& s, void* workspace) {
  E* partial = static_cast<E*>(workspace);
  const long numel = s.K * s.C, blocks = blocks_of(s);
  parallel_for(s.B * s.windows, block_of(s), [&](long begin, long end) {
    E* dw = partial + begin / block_of(s) * numel;
    std::fill_n(dw, numel, E(0));
    for (long row = begin; row < end; row++)
      for (long k = 0; k < s.K; k++) {
        const long b = row / s.windows, p = s.place(row % s.windows, k);
        if (p < 0 || p >= s.T) continue;
        const E *d = dy + row * s.C, *from = x + (b * s.T + p) * s.C;
        for (long c = 0; c < s.C; c++) dw[k * s.C + c] += d[c] * from[c];
      }
  });
  std::fill_n(dweight, numel, E(0));
  for (long block = 0; block < blocks; block++)
    for (long e = 0; e < numel; e++) dweight[e] += partial[block * numel + e];
}

const OnCpu convolution{[]<class E>(auto set) {
  set(kernels::unfold<E>, unfold_cpu<E>);
  set(kernels::fold<E>, fold_cpu<E>);
  set(kernels::depthwise<E>, depthwise_cpu<E>);
  set(kernels::depthwise_backward_x<E>, depthwise_backward_x_cpu<E>);
  set(kernels::depthwise_backward_weight<E>, depthwise_backward_weight_cpu<E>);
  set(kernels::depthwise_workspace_bytes<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
