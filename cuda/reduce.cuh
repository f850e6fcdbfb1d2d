// Sums and maxima over a warp, over a block and over the columns of a block. The order is fixed: the same bits every
// time.
#pragma once

#include <limits>

#include "cuda/port.h"

namespace heed::cuda {

struct Plus {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
template <class E> inline constexpr E kNothing = -std::numeric_limits<E>::infinity();  // below all

struct Most {  // NaN wins
  template <class T> __device__ T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};

// All lanes get the result.
template <class T, class F> __device__ T over_warp(T x, const F& f) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = f(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}

// All threads of the block get the result. none: what f leaves unchanged.
template <class T, class F> __device__ T over_block(T x, T none, const F& f) {
  HEED_SHARED(T, part, 32);
  x = over_warp(x, f);
  const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  x = over_warp(lane < warps ? part[lane] : none, f);
  __syncthreads();  // the next one writes to part again
  return x;
}

template <class T> __device__ T sum_over_block(T x) { return over_block(x, T(0), Plus()); }

// The block seen as `width` columns: threads with the same threadIdx.x % width belong together and get the result of
// their column. Width and blockDim.x are powers of two, and the block has at most 256 threads.
template <class T, class F> __device__ T over_columns(T x, int width, const F& f) {
  HEED_SHARED(T, part, 256);
  const int thread = int(threadIdx.x);
  part[thread] = x;
  __syncthreads();
  for (int half = int(blockDim.x) / 2; half >= width; half /= 2) {
    if (thread < half) part[thread] = f(part[thread], part[thread + half]);
    __syncthreads();
  }
  x = part[thread % width];
  __syncthreads();  // the next one writes to part again
  return x;
}

}  // namespace heed::cuda
