// Losses and their gradient, a block per row of logits. The exponentials are computed a second time for the gradient:
// that is cheaper than to keep them in memory.
#include "tensor/ops/cross_entropy.h"

#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"
#include "tensor/maths.h"

namespace heed::cuda {
namespace {

struct Larger {  // NaN is passed over: it comes back as that of the sum
  template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

// losses (rows), logits (rows, V), targets (rows); dlogits (rows, V) = scale * (softmax(x) - q), or null, with
// q = (1 - s) one_hot(target) + s / V for a smoothing of s
template <class E> struct CrossEntropy {
  E *losses, *dlogits;
  const E* logits;
  const int64_t* targets;
  long V;
  E smoothing, scale;

  // log sum exp(x) - sum_v q_v x_v
  __device__ E loss_of(const E* x, long target, E top, E total) const {
    const E hit = std::log(total) + (top - x[target]);
    if (smoothing == 0) return hit;  // a class that is -inf must not become 0 * inf
    E below = 0;
    for (long j = threadIdx.x; j < V; j += blockDim.x) below += top - x[j];
    below = sum_over_block(below);
    return (1 - smoothing) * hit + smoothing * (std::log(total) + below / E(V));
  }

  __device__ void operator()(long row) const {
    const long target = targets[row];
    const E* x = logits + row * V;
    E* dx = dlogits ? dlogits + row * V : nullptr;
    if (target < 0) {
      if (threadIdx.x == 0) losses[row] = 0;
      for (long j = threadIdx.x; dx && j < V; j += blockDim.x) dx[j] = 0;
      return;
    }
    constexpr E nothing = -std::numeric_limits<E>::infinity();
    E top = nothing, total = 0;
    for (long j = threadIdx.x; j < V; j += blockDim.x) top = Larger()(x[j], top);
    top = over_block(top, nothing, Larger());
    for (long j = threadIdx.x; j < V; j += blockDim.x) total += maths::exp_negative(x[j] - top);
    total = sum_over_block(total);
    const E loss = loss_of(x, target, top, total);
    if (threadIdx.x == 0) losses[row] = loss;
    if (!dx) return;
    const E factor = scale / total, spread = scale * smoothing / E(V), hit = scale * (1 - smoothing);
    for (long j = threadIdx.x; j < V; j += blockDim.x) {
      const E d = maths::exp_negative(x[j] - top) * factor - spread;
      dx[j] = j == target ? d - hit : d;
    }
  }
};

template <class E>
void cross_entropy_rows(E* losses, E* dlogits, const E* logits, const int64_t* targets,
                        const kernels::CrossEntropySizes& s) {
  for_rows("cross_entropy", s.rows, threads_for(s.V),
           CrossEntropy<E>{losses, dlogits, logits, targets, s.V, E(s.smoothing), E(s.scale)});
}

const OnCuda cross_entropy{[]<class E>(auto set) { set(kernels::cross_entropy_rows<E>, cross_entropy_rows<E>); }};

}  // namespace
}  // namespace heed::cuda
