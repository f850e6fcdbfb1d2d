// Indices that were made here, by kernels: a bad one is noted, and the nearest allowed one put in its place. One block
// looks at all of them: so the first bad one is found without atomics.
#include "tensor/ops/indices.h"

#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

constexpr int kAllThreads = 1024;

struct First {
  __device__ long operator()(long a, long b) const { return a < b ? a : b; }
};

// safe, index (n); fault: an IndexFault, which keeps what was noted before
template <class E>
__global__ void bounded_kernel(E* safe, int64_t* fault, const E* index, long n, kernels::IndexBounds bounds, long op) {
  long bad = n;  // the first one
  for (long i = threadIdx.x; i < n; i += blockDim.x) {
    const long at = long(index[i]);
    safe[i] = E(std::max(bounds.least, std::min(at, bounds.limit - 1)));
    if (at < bounds.least || at >= bounds.limit) bad = First()(bad, i);
  }
  bad = over_block(bad, n, First());
  if (threadIdx.x != 0 || bad == n || fault[0] != 0) return;
  fault[0] = op, fault[1] = long(index[bad]), fault[2] = bad, fault[3] = bounds.least, fault[4] = bounds.limit;
}

template <class E>
void bounded_indices(E* safe, int64_t* fault, const E* index, long n, const kernels::IndexBounds& bounds, long op) {
  launch("bounded_indices", bounded_kernel<E>, {n == 0 ? 0 : 1, kAllThreads}, safe, fault, index, n, bounds, op);
}

const OnCuda bounded{kTypes<int32_t, int64_t>,
                     []<class E>(auto set) { set(kernels::bounded_indices<E>, bounded_indices<E>); }};

}  // namespace
}  // namespace heed::cuda
