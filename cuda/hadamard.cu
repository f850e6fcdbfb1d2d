// The fast Walsh-Hadamard transform: a block per row, log2(n) rounds of additions and subtractions in place, with a
// barrier behind each. A row that fits is kept in shared memory meanwhile, a longer one in the output.
#include "tensor/ops/hadamard.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

constexpr long kFits = 1024;  // elements; more would keep other blocks out

// H_2n = (H_n  H_n; H_n  -H_n), so each round adds and subtracts neighbours at twice the distance.
template <class E> struct Transform {
  E* y;
  const E* x;
  long n;
  E scale;

  __device__ void operator()(long row) const {
    HEED_SHARED(E, fits, kFits);
    E* at = n <= kFits ? fits : y + row * n;
    for (long j = threadIdx.x; j < n; j += blockDim.x) at[j] = x[row * n + j];
    __syncthreads();
    for (long half = 1; half < n; half *= 2) {
      for (long j = threadIdx.x; j < n / 2; j += blockDim.x) {
        const long first = 2 * j - (j & (half - 1)), second = first + half;  // j with a 0 put in at the bit of half
        const E a = at[first], b = at[second];
        at[first] = a + b;
        at[second] = a - b;
      }
      __syncthreads();
    }
    for (long j = threadIdx.x; j < n; j += blockDim.x) y[row * n + j] = at[j] * scale;
    __syncthreads();  // the next row is written to the same place
  }
};

// y, x (rows, n)
template <class E> void walsh_hadamard(E* y, const E* x, long rows, long n) {
  for_rows("walsh_hadamard", n == 0 ? 0 : rows, threads_for(n / 2), Transform<E>{y, x, n, E(1 / std::sqrt(double(n)))});
}

const OnCuda hadamard{[]<class E>(auto set) { set(kernels::walsh_hadamard<E>, walsh_hadamard<E>); }};

}  // namespace
}  // namespace heed::cuda
