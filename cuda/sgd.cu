// The step of SGD with momentum, plain or Nesterov's, one thread per weight.
#include "tensor/ops/sgd.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// v = momentum v + g and the step; w, v, gradient (n)
template <class E> void sgd(E* w, E* v, const E* gradient, long n, const SgdStep& step) {
  const SgdFactors<E> f(step);
  for_elements("sgd", n, [=] __device__(long i) {
    const E weight = w[i], g = f.scale * gradient[i] + f.l2 * weight, mean = f.momentum * v[i] + g;
    v[i] = mean;
    w[i] = weight - (f.now * g + f.later * mean);
  });
}

const OnCuda sgds{[]<class E>(auto set) { set(kernels::sgd<E>, sgd<E>); }};

}  // namespace
}  // namespace heed::cuda
