#include "tensor/ops/sgd.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// w -= now * g + later * v: of plain momentum (0, rate), of Nesterov's (rate, rate * momentum).
template <class T> struct Factors { T scale, l2, momentum, now, later; };

template <class T> void sgd_run(T* w, T* v, const T* gradient, long n, const Factors<T> f) {
  for (long i = 0; i < n; i++) {
    const T g = f.scale * gradient[i] + f.l2 * w[i], mean = f.momentum * v[i] + g;
    v[i] = mean;
    w[i] -= f.now * g + f.later * mean;
  }
}

// w, v, gradient (n)
template <class T> void sgd_cpu(T* w, T* v, const T* gradient, long n, const SgdStep& s) {
  const Factors<T> factors{T(s.gradient_scale), T(s.l2), T(s.momentum), T(s.nesterov ? s.rate : 0),
                           T(s.nesterov ? s.rate * s.momentum : s.rate)};
  parallel_for(n, kElementGrain,
               [&](long begin, long end) { sgd_run(w + begin, v + begin, gradient + begin, end - begin, factors); });
}

const Registered sgd_f32{kernels::sgd<float>, Backend::cpu, sgd_cpu<float>};
const Registered sgd_f64{kernels::sgd<double>, Backend::cpu, sgd_cpu<double>};

}  // namespace
}  // namespace heed
