// The step of Adagrad, element by element: every weight's rate falls with the sum s of its squared gradients.
#include "tensor/ops/adagrad.h"

#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class E> struct Factors { E rate, epsilon, l2, scale; };

// s += g^2, w -= rate * g / (sqrt(s) + epsilon), for n elements
template <class E> void adagrad_run(E* w, E* s, const E* gradient, long n, const Factors<E> f) {
  for (long i = 0; i < n; i++) {
    const E g = f.scale * gradient[i] + f.l2 * w[i], squares = s[i] + g * g;
    s[i] = squares;
    w[i] -= f.rate * g / (std::sqrt(squares) + f.epsilon);
  }
}

// w, s, gradient (n)
template <class E> void adagrad_cpu(E* w, E* s, const E* gradient, long n, const AdagradStep& step) {
  const Factors<E> factors{E(step.rate), E(step.epsilon), E(step.l2), E(step.gradient_scale)};
  parallel_for(n, kElementGrain, [&](long begin, long end) {
    adagrad_run(w + begin, s + begin, gradient + begin, end - begin, factors);
  });
}

const OnCpu adagrad{[]<class E>(auto set) { set(kernels::adagrad<E>, adagrad_cpu<E>); }};

}  // namespace
}  // namespace heed
