// Adagrad: one step of the optimiser over flat arrays, in place.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct AdagradStep {
  double rate = 1e-2;
  double epsilon = 1e-10;
  double l2 = 0;              // g grows by l2 * w
  double gradient_scale = 1;  // what clipping makes of it
};

// g = gradient_scale * gradient + l2 w; s += g^2; w -= rate * g / (sqrt(s) + epsilon)
void adagrad_into(const Tensor& w, const Tensor& s, const Tensor& gradient, const AdagradStep& step);

// For the backends: all are (n).
namespace kernels {
template <class E> inline Kernel<void(E* w, E* s, const E* g, long n, const AdagradStep& step)> adagrad{"adagrad"};
}  // namespace kernels

}  // namespace heed
