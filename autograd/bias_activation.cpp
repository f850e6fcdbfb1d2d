#include "autograd/bias_activation.h"

namespace heed {

// x is kept, not the sum: backward adds the bias again while it reads x.
Variable bias_activation(const Variable& x, const Variable& bias, Activation f) {
  return record("bias_activation", bias_activation(x.value(), bias.value(), f), {x, bias},
                [x = Saved(x), bias = Saved(bias), f, want_bias = bias.requires_grad()](const Tensor& dy) {
                  BiasActivationGrads grads = bias_activation_backward(dy, x, bias, f, want_bias);
                  return Grads{grads.dx, grads.dbias};
                });
}

}  // namespace heed
