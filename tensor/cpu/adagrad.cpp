#include "tensor/ops/adagrad.h"

#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class T> struct Factors { T rate, epsilon, l2, scale; };

template <class T> void adagrad_run(T* w, T* s, const T* gradient, long n, const Factors<T> f) {
  for (long i = 0; i < n; i++) {
    const T g = f.scale * gradient[i] + f.l2 * w[i], squares = s[i] + g * g;
    s[i] = squares;
    w[i] -= f.rate * g / (std::sqrt(squares) + f.epsilon);
  }
}

// w, s, gradient (n)
template <class T> void adagrad_cpu(T* w, T* s, const T* gradient, long n, const AdagradStep& step) {
  const Factors<T> factors{T(step.rate), T(step.epsilon), T(step.l2), T(step.gradient_scale)};
  parallel_for(n, kElementGrain, [&](long begin, long end) {
    adagrad_run(w + begin, s + begin, gradient + begin, end - begin, factors);
  });
}

const Registered adagrad_f32{kernels::adagrad<float>, Backend::cpu, adagrad_cpu<float>};
const Registered adagrad_f64{kernels::adagrad<double>, Backend::cpu, adagrad_cpu<double>};

}  // namespace
}  // namespace heed
