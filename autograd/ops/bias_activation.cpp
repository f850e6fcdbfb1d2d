#include "autograd/ops/bias_activation.h"

namespace heed {

// x is kept, neither the sum nor y: backward adds the bias again while it reads x, and the product that follows
// computes y again for the gradient of its weights.
Variable bias_activation(const Variable& x, const Variable& bias, Activation f) {
  const Variable y = record("bias_activation", bias_activation(x.value(), bias.value(), f), {x, bias},
                            [x = Saved(x), bias = Saved(bias), f, want_bias = bias.requires_grad()](const Tensor& dy) {
                              BiasActivationGrads grads = bias_activation_backward(dy, x, bias, f, want_bias);
                              return Grads{grads.dx, grads.dbias};
                            });
  if (!y.requires_grad()) return y;
  return recomputable(y, [x = Saved(x), bias = Saved(bias), f] { return bias_activation(x.get(), bias.get(), f); });
}

}  // namespace heed
