#include "autograd/layer_norm.h"

namespace heed {
namespace {

using Backward = NormGrads (*)(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                               const NormWants& wants);

// What both norms share: only what is there is an input, and only what is wanted is computed.
std::vector<Variable> inputs_of(const Variable& x, const Variable& weight, const Variable& bias) {
  std::vector<Variable> inputs = {x};
  if (weight.defined()) inputs.push_back(weight);
  if (bias.defined()) inputs.push_back(bias);
  return inputs;
}

BackwardOne backward_of(Backward norm_backward, const Normed& out, const Variable& x, const Variable& weight,
                        const Variable& bias) {
  const NormWants wants{x.requires_grad(), weight.requires_grad(), bias.requires_grad()};
  return [=, x = Saved(x), weight = Saved(weight), mean = Saved(out.rows.mean), scale = Saved(out.rows.scale),
          has_bias = bias.defined()](const Tensor& dy) {
    NormGrads grads = norm_backward(dy, x, weight, {mean, scale}, wants);
    std::vector<Tensor> list = {grads.dx};
    if (weight.get().defined()) list.push_back(grads.dweight);
    if (has_bias) list.push_back(grads.dbias);
    return Grads(std::move(list));
  };
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  Normed out = layer_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon);
  return record("layer_norm", out.y, inputs_of(x, weight, bias),
                backward_of(layer_norm_backward, out, x, weight, bias));
}

Variable rms_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  Normed out = rms_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon);
  return record("rms_norm", out.y, inputs_of(x, weight, bias), backward_of(rms_norm_backward, out, x, weight, bias));
}

}  // namespace heed
