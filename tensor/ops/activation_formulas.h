// The formulas (elementwise_table.h) of the activations that kernels fuse with a bias, for every backend.
#pragma once

#include "tensor/ops/bias_activation.h"
#include "tensor/ops/elementwise.h"

namespace heed {

// Calls g with the formulas of f.
template <class G> void visit_activation(Activation f, G&& g) {
  switch (f) {
    case Activation::relu: return g(ops::relu_op());
    case Activation::gelu: return g(ops::gelu_op());
    case Activation::gelu_tanh: return g(ops::gelu_tanh_op());
    case Activation::quick_gelu: return g(ops::quick_gelu_op());
    case Activation::silu: return g(ops::silu_op());
  }
}

}  // namespace heed
