// Maxima and means over windows of tokens: a block per window, whose threads walk over its tokens, each for its own
// channels; backward over the windows of a token. All sums of windows are in the cpu's order. The mean over a sequence
// adds up by columns (column_sums.cuh).
#include "tensor/ops/pooling.h"

#include "cuda/column_sums.cuh"

namespace heed::cuda {
namespace {

using kernels::PoolRange;
using kernels::PoolSizes;

// y, indices (B, T', C), x (B, T, C)
template <class E> struct MaxPool {
  E* y;
  int64_t* indices;
  const E* x;
  PoolSizes s;

  __device__ void operator()(long row) const {
    const long b = row / s.windows;
    const PoolRange tokens = kernels::tokens_of(s, row - b * s.windows);
    const E* sample = x + b * s.T * s.C;
    for (long c = threadIdx.x; c < s.C; c += blockDim.x) {
      E top = sample[tokens.begin * s.C + c];
      long place = tokens.begin;
      for (long p = tokens.begin + 1; p < tokens.end; p++) {
        const E value = sample[p * s.C + c];
        const bool better = value > top || (value != value && top == top);  // NaN wins, the first one
        place = better ? p : place;
        top = better ? value : top;
      }
      y[row * s.C + c] = top;
      indices[row * s.C + c] = place;
    }
  }
};

// y (B, T', C), x (B, T, C)
template <class E> struct MeanPool {
  E* y;
  const E* x;
  PoolSizes s;

  __device__ void operator()(long row) const {
    const long b = row / s.windows;
    const PoolRange tokens = kernels::tokens_of(s, row - b * s.windows);
    const E* sample = x + b * s.T * s.C;
    for (long c = threadIdx.x; c < s.C; c += blockDim.x) {
      E sum = 0;
      for (long p = tokens.begin; p < tokens.end; p++) sum += sample[p * s.C + c];
      y[row * s.C + c] = sum / E(tokens.end - tokens.begin);
    }
  }
};

// dx (B, T, C) = sum of dy (B, T', C) / count over the windows that hold the token
template <class E> struct MeanPoolBackward {
  E* dx;
  const E* dy;
  PoolSizes s;

  __device__ void operator()(long row) const {
    const long b = row / s.T;
    const PoolRange windows = kernels::windows_with(s, row - b * s.T);
    const E* sample = dy + b * s.windows * s.C;
    for (long c = threadIdx.x; c < s.C; c += blockDim.x) {
      E sum = 0;
      for (long t = windows.begin; t < windows.end; t++) {
        const PoolRange tokens = kernels::tokens_of(s, t);
        sum += sample[t * s.C + c] / E(tokens.end - tokens.begin);
      }
      dx[row * s.C + c] = sum;
    }
  }
};

template <class E> void max_pool1d(E* y, int64_t* indices, const E* x, const PoolSizes& s) {
  for_rows("max_pool1d", s.B * s.windows, threads_for(s.C), MaxPool<E>{y, indices, x, s});
}
template <class E> void mean_pool1d(E* y, const E* x, const PoolSizes& s) {
  for_rows("mean_pool1d", s.B * s.windows, threads_for(s.C), MeanPool<E>{y, x, s});
}
template <class E> void mean_pool1d_backward(E* dx, const E* dy, const PoolSizes& s) {
  for_rows("mean_pool1d", s.B * s.T, threads_for(s.C), MeanPoolBackward<E>{dx, dy, s});
}

// y (B, C), x (B, tokens, C), lengths (B): a task is a stripe of columns of one sample.
template <class E> struct MaskedMean {
  E* y;
  const E* x;
  const int64_t* lengths;
  Columns s;  // (B, tokens, C)

  __device__ void operator()(long task) const {
    const long b = task / s.stripes, n = lengths[b];
    const long c = (task - b * s.stripes) * s.width + threadIdx.x % unsigned(s.width);
    const E* sample = x + b * s.count * s.inner;
    const E sum = sum_of_column<E>(0, c < s.inner ? n : 0, s.width, [&](long p) { return sample[p * s.inner + c]; });
    if (c < s.inner && int(threadIdx.x) < s.width) y[b * s.inner + c] = n > 0 ? sum / E(n) : E(0);
  }
};

// dx (B, tokens, C), dy (B, C), lengths (B)
template <class E> struct MaskedMeanBackward {
  E* dx;
  const E* dy;
  const int64_t* lengths;
  long tokens, C;

  __device__ void operator()(long row) const {
    const long b = row / tokens, n = lengths[b];
    const bool real = row - b * tokens < n;
    for (long c = threadIdx.x; c < C; c += blockDim.x) dx[row * C + c] = real ? dy[b * C + c] / E(n) : E(0);
  }
};

template <class E> void masked_mean(E* y, const E* x, const int64_t* lengths, long B, long tokens, long C) {
  const Columns columns(B, tokens, C, 1);
  for_rows("masked_mean", B * columns.stripes, columns.threads, MaskedMean<E>{y, x, lengths, columns});
}
template <class E> void masked_mean_backward(E* dx, const E* dy, const int64_t* lengths, long B, long tokens, long C) {
  for_rows("masked_mean", B * tokens, threads_for(C), MaskedMeanBackward<E>{dx, dy, lengths, tokens, C});
}

const OnCuda pooling{[]<class E>(auto set) {
  set(kernels::max_pool1d<E>, max_pool1d<E>);
  set(kernels::mean_pool1d<E>, mean_pool1d<E>);
  set(kernels::mean_pool1d_backward<E>, mean_pool1d_backward<E>);
  set(kernels::masked_mean<E>, masked_mean<E>);
  set(kernels::masked_mean_backward<E>, masked_mean_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
