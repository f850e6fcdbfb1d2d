// The step of AdamW, one thread per weight.
#include "tensor/ops/adamw.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, w = keep w - rate m / (sqrt(v unbias) + epsilon); all
// are (n)
template <class E> void adamw(E* w, E* m, E* v, const E* gradient, long n, const AdamWStep& step) {
  const AdamWFactors<E> f(step);
  for_elements("adamw", n, [=] __device__(long i) {
    const E weight = w[i], g = f.scale * gradient[i] + f.l2 * weight;
    const E mean = f.beta1 * m[i] + f.rest1 * g, square = f.beta2 * v[i] + f.rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    w[i] = f.keep * weight - f.rate * mean / (std::sqrt(square * f.unbias) + f.epsilon);
  });
}

const OnCuda adamws{[]<class E>(auto set) { set(kernels::adamw<E>, adamw<E>); }};

}  // namespace
}  // namespace heed::cuda
