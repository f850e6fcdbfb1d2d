// The step of SGD with momentum, plain or Nesterov's, in one pass over weights, velocities and gradients.
#include "tensor/ops/sgd.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// w -= now * g + later * v: of plain momentum (0, rate), of Nesterov's (rate, rate * momentum).
template <class E> struct Factors { E scale, l2, momentum, now, later; };

// v = momentum v + g and the step, for n elements
template <class E> void sgd_run(E* w, E* v, const E* gradient, long n, const Factors<E> f) {
  for (long i = 0; i < n; i++) {
    const E g = f.scale * gradient[i] + f.l2 * w[i], mean = f.momentum * v[i] + g;
    v[i] = mean;
    w[i] -= f.now * g + f.later * mean;
  }
}

// w, v, gradient (n)
template <class E> void sgd_cpu(E* w, E* v, const E* gradient, long n, const SgdStep& s) {
  const Factors<E> factors{E(s.gradient_scale), E(s.l2), E(s.momentum), E(s.nesterov ? s.rate : 0),
                           E(s.nesterov ? s.rate * s.momentum : s.rate)};
  parallel_for(n, kElementGrain,
               [&](long begin, long end) { sgd_run(w + begin, v + begin, gradient + begin, end - begin, factors); });
}

const OnCpu sgd{[]<class E>(auto set) { set(kernels::sgd<E>, sgd_cpu<E>); }};

}  // namespace
}  // namespace heed
