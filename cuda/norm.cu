// Sums of squares for the norm of a gradient: 16 threads per block of numbers, in the order in which the cpu adds. So
// the norm of floats, whose squares are exact in double, is the cpu's to the last bit.
#include "tensor/ops/norm.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

constexpr int kLanes = 16;  // those of lane_sum in tensor/cpu/simd.h

// partial (blocks of n), x (n); a warp makes two of them
template <class E> struct SumsOfSquares {
  double* partial;
  const E* x;
  long n;

  __device__ void operator()(long row) const {
    const long block = row * (32 / kLanes) + threadIdx.x / kLanes, first = block * kSquaresBlock;
    const int lane = threadIdx.x % kLanes;
    const long end = std::min(first + kSquaresBlock, n);
    double sum = 0;
#pragma unroll 16
    for (long i = first + lane; i < end; i += kLanes) sum += double(x[i]) * double(x[i]);
#pragma unroll
    for (int width = kLanes / 2; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
    if (lane == 0 && first < n) partial[block] = sum;
  }
};

template <class E> void sums_of_squares(double* partial, const E* x, long n) {
  for_rows("norm", ceil_div(ceil_div(n, kSquaresBlock), 32 / kLanes), 32, SumsOfSquares<E>{partial, x, n});
}

const OnCuda norm{[]<class E>(auto set) { set(kernels::sums_of_squares<E>, sums_of_squares<E>); }};

}  // namespace
}  // namespace heed::cuda
