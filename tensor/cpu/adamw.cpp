#include "tensor/adamw.h"

#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// w, m, v, gradient (n)
template <class T> void adamw_cpu(T* w, T* m, T* v, const T* gradient, long n, const AdamWStep& s) {
  const T beta1 = T(s.beta1), beta2 = T(s.beta2), rest1 = T(1 - s.beta1), rest2 = T(1 - s.beta2);
  const T epsilon = T(s.epsilon), scale = T(s.gradient_scale);
  const T rate = T(s.rate / (1 - std::pow(s.beta1, s.step)));  // the bias of m is undone in the rate
  const T unbias = T(1 / (1 - std::pow(s.beta2, s.step))), keep = T(1 - s.rate * s.weight_decay);
  parallel_for(n, kElementGrain, [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      T g = scale * gradient[i];
      m[i] = beta1 * m[i] + rest1 * g;
      v[i] = beta2 * v[i] + rest2 * g * g;
      w[i] = keep * w[i] - rate * m[i] / (std::sqrt(v[i] * unbias) + epsilon);
    }
  });
}

const Registered adamw_f32{kernels::adamw<float>, Backend::cpu, adamw_cpu<float>};
const Registered adamw_f64{kernels::adamw<double>, Backend::cpu, adamw_cpu<double>};

}  // namespace
}  // namespace heed
