// The step of AdamW in one pass over weights, moments and gradients. It waits for memory, so that what could be four
// ops is one loop.
#include "tensor/ops/adamw.h"

#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, w = keep w - rate m / (sqrt(v unbias) + epsilon), for n
// elements. Takes its numbers by value: what a lambda captures could be changed by every store, for all the compiler
// knows, and then nothing is vectorised.
template <class E> void adamw_run(E* w, E* m, E* v, const E* gradient, long n, const AdamWFactors<E> f) {
  for (long i = 0; i < n; i++) {
    const E g = f.scale * gradient[i] + f.l2 * w[i];
    const E mean = f.beta1 * m[i] + f.rest1 * g, square = f.beta2 * v[i] + f.rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    w[i] = f.keep * w[i] - f.rate * mean / (std::sqrt(square * f.unbias) + f.epsilon);
  }
}

// w, m, v, gradient (n)
template <class E> void adamw_cpu(E* w, E* m, E* v, const E* gradient, long n, const AdamWStep& step) {
  const AdamWFactors<E> factors(step);
  parallel_for(n, kElementGrain, [&](long begin, long end) {
    adamw_run(w + begin, m + begin, v + begin, gradient + begin, end - begin, factors);
  });
}

const OnCpu adamw{[]<class E>(auto set) { set(kernels::adamw<E>, adamw_cpu<E>); }};

}  // namespace
}  // namespace heed
