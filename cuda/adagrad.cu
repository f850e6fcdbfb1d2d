// The step of Adagrad, one thread per weight.
#include "tensor/ops/adagrad.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// s += g^2, w -= rate * g / (sqrt(s) + epsilon); w, s, gradient (n)
template <class E> void adagrad(E* w, E* s, const E* gradient, long n, const AdagradStep& step) {
  const E rate = E(step.rate), epsilon = E(step.epsilon), l2 = E(step.l2), scale = E(step.gradient_scale);
  for_elements("adagrad", n, [=] __device__(long i) {
    const E weight = w[i], g = scale * gradient[i] + l2 * weight, squares = s[i] + g * g;
    s[i] = squares;
    w[i] = weight - rate * g / (std::sqrt(squares) + epsilon);
  });
}

const OnCuda adagrads{[]<class E>(auto set) { set(kernels::adagrad<E>, adagrad<E>); }};

}  // namespace
}  // namespace heed::cuda
