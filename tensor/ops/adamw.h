// AdamW: one step of the optimiser over flat arrays, in place.
#pragma once

#include <cmath>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct AdamWStep {
  double rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;    // w -= rate * weight_decay * w, apart from the gradient
  double l2 = 0;              // g grows by l2 * w: the decay of Adam
  double gradient_scale = 1;  // what clipping makes of it
  long step = 1;              // 1, 2, ...: undoes the bias of m and v, which start at 0
};

// g = gradient_scale * gradient + l2 w; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
// w -= rate * (m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + epsilon) + weight_decay w)
void adamw_into(const Tensor& w, const Tensor& m, const Tensor& v, const Tensor& gradient, const AdamWStep& step);

// For the backends: the step's numbers in the type of the arrays, and the slot, where all are (n).
template <class E> struct AdamWFactors {
  E beta1, rest1, beta2, rest2, epsilon, scale, l2, rate, unbias, keep;

  explicit AdamWFactors(const AdamWStep& s)
      : beta1(E(s.beta1)),
        rest1(E(1 - s.beta1)),
        beta2(E(s.beta2)),
        rest2(E(1 - s.beta2)),
        epsilon(E(s.epsilon)),
        scale(E(s.gradient_scale)),
        l2(E(s.l2)),
        rate(E(s.rate / (1 - std::pow(s.beta1, s.step)))),  // the bias of m is undone in the rate
        unbias(E(1 / (1 - std::pow(s.beta2, s.step)))),
        keep(E(1 - s.rate * s.weight_decay)) {}
};
namespace kernels {
template <class E> inline Kernel<void(E* w, E* m, E* v, const E* g, long n, const AdamWStep& step)> adamw{"adamw"};
}  // namespace kernels

}  // namespace heed
