// Gradient descent with momentum: one step of the optimiser over flat arrays, in place.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct SgdStep {
  double rate = 1e-2;
  double momentum = 0.9;
  bool nesterov = false;
  double l2 = 0;              // g grows by l2 * w
  double gradient_scale = 1;  // what clipping makes of it
};

// g = gradient_scale * gradient + l2 w; v = momentum v + g; w -= rate * (nesterov ? g + momentum v : v)
void sgd_into(const Tensor& w, const Tensor& v, const Tensor& gradient, const SgdStep& step);

// For the backends: the step's numbers in the type of the arrays, and the slot, where all are (n).
// w -= now * g + later * v: of plain momentum (0, rate), of Nesterov's (rate, rate * momentum).
template <class E> struct SgdFactors {
  E scale, l2, momentum, now, later;

  explicit SgdFactors(const SgdStep& s)
      : scale(E(s.gradient_scale)),
        l2(E(s.l2)),
        momentum(E(s.momentum)),
        now(E(s.nesterov ? s.rate : 0)),
        later(E(s.nesterov ? s.rate * s.momentum : s.rate)) {}
};
namespace kernels {
template <class E> inline Kernel<void(E* w, E* v, const E* g, long n, const SgdStep& step)> sgd{"sgd"};
}  // namespace kernels

}  // namespace heed
