#include "autograd/ops/convolution.h"

#include "tensor/ops/reduce.h"

namespace heed {

Variable conv1d(const Variable& x, const Variable& weight, const Variable& bias, const Conv1dOptions& options) {
  std::vector<Variable> inputs = {x, weight};
  if (bias.defined()) inputs.push_back(bias);
  auto backward = [options, x = Saved(x), weight = Saved(weight), want_x = x.requires_grad(),
                   want_weight = weight.requires_grad(), want_bias = bias.requires_grad(),
                   has_bias = bias.defined()](const Tensor& dy) {
    std::vector<Tensor> grads = {want_x ? conv1d_backward_x(dy, weight, x.get().shape(), options) : Tensor(),
                                 want_weight ? conv1d_backward_weight(dy, x, weight.get().shape(), options) : Tensor()};
    if (has_bias) grads.push_back(want_bias ? sum(dy, {0, 1}) : Tensor());
    return Grads(std::move(grads));
  };
  return record("conv1d", conv1d(x.value(), weight.value(), bias.value(), options), inputs, std::move(backward));
}

}  // namespace heed
