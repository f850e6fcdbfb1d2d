// Maxima and means over windows of tokens, and the mean over a sequence's real tokens. Every output is made by one
// thread, which walks over the tokens of its window; backward walks over the windows of a token.
#include "tensor/ops/pooling.h"

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using kernels::PoolRange;
using kernels::PoolSizes;

// y, indices (B, T', C), x (B, T, C)
template <class E> void max_pool1d_cpu(E* y, int64_t* indices, const E* x, const PoolSizes& s) {
  parallel_for(s.B * s.windows, rows_grain(s.window * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const PoolRange tokens = tokens_of(s, row % s.windows);
      const E* sample = x + row / s.windows * s.T * s.C;
      E* top = y + row * s.C;
      int64_t* place = indices + row * s.C;
      std::copy_n(sample + tokens.begin * s.C, s.C, top);
      std::fill_n(place, s.C, tokens.begin);
      for (long p = tokens.begin + 1; p < tokens.end; p++)
        for (long c = 0; c < s.C; c++) {
          const E value = sample[p * s.C + c];
          const bool better = value > top[c] || (value != value && top[c] == top[c]);  // NaN wins, the first one
          place[c] = better ? p : place[c];
          top[c] = better ? value : top[c];
        }
    }
  });
}

// y (B, T', C), x (B, T, C)
template <class E> void mean_pool1d_cpu(E* y, const E* x, const PoolSizes& s) {
  parallel_for(s.B * s.windows, rows_grain(s.window * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const PoolRange tokens = tokens_of(s, row % s.windows);
      const E* sample = x + row / s.windows * s.T * s.C;
      E* to = y + row * s.C;
      std::fill_n(to, s.C, E(0));
      for (long p = tokens.begin; p < tokens.end; p++)
        for (long c = 0; c < s.C; c++) to[c] += sample[p * s.C + c];
      const E count = E(tokens.end - tokens.begin);
      for (long c = 0; c < s.C; c++) to[c] /= count;
    }
  });
}

// dx (B, T, C) = sum of dy (B, T', C) / count over the windows that hold the token
template <class E> void mean_pool1d_backward_cpu(E* dx, const E* dy, const PoolSizes& s) {
  const long overlap = ceil_div(s.window, s.stride);
  parallel_for(s.B * s.T, rows_grain(overlap * s.C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const PoolRange windows = windows_with(s, row % s.T);
      E* to = dx + row * s.C;
      std::fill_n(to, s.C, E(0));
      for (long t = windows.begin; t < windows.end; t++) {
        const PoolRange tokens = tokens_of(s, t);
        const E *from = dy + (row / s.T * s.windows + t) * s.C, count = E(tokens.end - tokens.begin);
        for (long c = 0; c < s.C; c++) to[c] += from[c] / count;
      }
    }
  });
}

// A task is a block of columns of one sample; it adds the tokens up in chunks, which keeps the rounding error small.
constexpr long kColumns = 64, kChunk = 64;

// y (C columns) = sum of x (n, C) over its rows, for at most kColumns columns
template <class E> void sum_tokens(E* y, const E* x, long n, long C, long columns) {
  std::fill_n(y, columns, E(0));
  for (long first = 0; first < n; first += kChunk) {
    E part[kColumns] = {};
    for (long p = first; p < std::min(n, first + kChunk); p++)
      for (long c = 0; c < columns; c++) part[c] += x[p * C + c];
    for (long c = 0; c < columns; c++) y[c] += part[c];
  }
}

// y (B, C), x (B, tokens, C), lengths (B)
template <class E> void masked_mean_cpu(E* y, const E* x, const int64_t* lengths, long B, long tokens, long C) {
  const long blocks = ceil_div(C, kColumns);
  parallel_for(B * blocks, rows_grain(tokens * std::min(C, kColumns)), [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long b = task / blocks, first = task % blocks * kColumns, columns = std::min(kColumns, C - first);
      E* to = y + b * C + first;
      sum_tokens(to, x + b * tokens * C + first, lengths[b], C, columns);
      for (long c = 0; c < columns && lengths[b] > 0; c++) to[c] /= E(lengths[b]);
    }
  });
}

// dx (B, tokens, C), dy (B, C), lengths (B)
template <class E>
void masked_mean_backward_cpu(E* dx, const E* dy, const int64_t* lengths, long B, long tokens, long C) {
  parallel_for(B * tokens, rows_grain(C), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const long b = row / tokens, n = lengths[b];
      E* to = dx + row * C;
      if (row % tokens >= n)
        std::fill_n(to, C, E(0));
      else
        for (long c = 0; c < C; c++) to[c] = dy[b * C + c] / E(n);
    }
  });
}

const OnCpu pooling{[]<class E>(auto set) {
  set(kernels::max_pool1d<E>, max_pool1d_cpu<E>);
  set(kernels::mean_pool1d<E>, mean_pool1d_cpu<E>);
  set(kernels::mean_pool1d_backward<E>, mean_pool1d_backward_cpu<E>);
  set(kernels::masked_mean<E>, masked_mean_cpu<E>);
  set(kernels::masked_mean_backward<E>, masked_mean_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
