// The step of SGD with momentum, plain or Nesterov's, in one pass over weights, velocities and gradients.
#include "tensor/ops/sgd.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// v = momentum v + g and the step, for n elements
template <class E> void sgd_run(E* w, E* v, const E* gradient, long n, const SgdFactors<E> f) {
  for (long i = 0; i < n; i++) {
    const E g = f.scale * gradient[i] + f.l2 * w[i], mean = f.momentum * v[i] + g;
    v[i] = mean;
    w[i] -= f.now * g + f.later * mean;
  }
}

// w, v, gradient (n)
template <class E> void sgd_cpu(E* w, E* v, const E* gradient, long n, const SgdStep& s) {
  const SgdFactors<E> factors(s);
  parallel_for(n, kElementGrain,
               [&](long begin, long end) { sgd_run(w + begin, v + begin, gradient + begin, end - begin, factors); });
}

const OnCpu sgd{[]<class E>(auto set) { set(kernels::sgd<E>, sgd_cpu<E>); }};

}  // namespace
}  // namespace heed
