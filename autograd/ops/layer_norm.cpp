#include "autograd/ops/layer_norm.h"

namespace heed {
namespace {

// Both norms keep what they normed, x or the sum: y is computed again from it, for the gradient of a product's weights.
using Norm = Tensor (*)(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon);
Variable recomputed(const Variable& y, Norm norm, const Saved& x, const Variable& weight, const Variable& bias,
                    double epsilon) {
  if (!y.requires_grad()) return y;
  return recomputable(y, [=, weight = Saved(weight), bias = Saved(bias)] { return norm(x, weight, bias, epsilon); });
}

using Backward = NormGrads (*)(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                               const NormWants& wants, const Tensor& dsum);

// What both norms share: only what is there is an input, and only what is wanted is computed.
Variable recorded(const char* op, Backward norm_backward, const Normed& out, const Variable& x, const Variable& weight,
                  const Variable& bias) {
  const NormWants wants{x.requires_grad(), weight.requires_grad(), bias.requires_grad()};
  auto backward = [norm_backward, wants, x = Saved(x), weight = Saved(weight), mean = Saved(out.rows.mean),
                   scale = Saved(out.rows.scale), has_bias = bias.defined()](const Tensor& dy) {
    NormGrads grads = norm_backward(dy, x, weight, {mean, scale}, wants, {});
    std::vector<Tensor> list = {grads.dx};
    if (weight.get().defined()) list.push_back(grads.dweight);
    if (has_bias) list.push_back(grads.dbias);
    return Grads(std::move(list));
  };
  const auto with = [&](std::initializer_list<Input> inputs) { return record(op, out.y, inputs, std::move(backward)); };
  if (weight.defined()) return bias.defined() ? with({x, weight, bias}) : with({x, weight});
  return bias.defined() ? with({x, bias}) : with({x});
}

// Outputs: the sum and its norm. A gradient may arrive at both, or at one of them.
SumAndNorm record_sum(const char* op, Backward norm_backward, const AddNormed& out, const Variable& x,
                      const Variable& residual, const Variable& weight, const Variable& bias) {
  std::vector<Input> inputs = {x};
  for (const Variable* each : {&weight, &bias, &residual})
    if (each->defined()) inputs.push_back(*each);
  // What looks for NaN needs to see y only: a sum that is not finite has no finite norm.
  if (!is_recorded(op, out.y, inputs.data(), inputs.size())) return {out.sum, out.y};
  const NormWants wants{x.requires_grad() || residual.requires_grad(), weight.requires_grad(), bias.requires_grad()};
  auto backward = [=, sum = Saved(out.sum), weight = Saved(weight), mean = Saved(out.rows.mean),
                   scale = Saved(out.rows.scale), has_bias = bias.defined(),
                   has_residual = residual.defined()](const std::vector<Tensor>& dys) {
    const bool normed = dys[1].defined();
    NormGrads grads{dys[0], {}, {}};
    if (normed) grads = norm_backward(dys[1], sum, weight, {mean, scale}, wants, dys[0]);
    std::vector<Tensor> list = {grads.dx};
    if (weight.get().defined()) list.push_back(grads.dweight);
    if (has_bias) list.push_back(grads.dbias);
    if (has_residual) list.push_back(grads.dx);
    return Grads(std::move(list));
  };
  std::vector<Variable> ys = record_node(op, {out.sum, out.y}, inputs, std::move(backward));
  return {ys[0], ys[1]};
}

AddNormed of_x_alone(const Variable& x, const Normed& normed) { return {x.value(), normed.y, normed.rows}; }

}  // namespace

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  Normed out = layer_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon);
  const Variable y = recorded("layer_norm", layer_norm_backward, out, x, weight, bias);
  return recomputed(y, layer_norm, x, weight, bias, epsilon);
}

Variable rms_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  Normed out = rms_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon);
  const Variable y = recorded("rms_norm", rms_norm_backward, out, x, weight, bias);
  return recomputed(y, rms_norm, x, weight, bias, epsilon);
}

SumAndNorm add_layer_norm(const Variable& x, const Variable& residual, const Variable& weight, const Variable& bias,
                          double epsilon) {
  const AddNormed out =
      residual.defined() ? add_layer_norm(x.value(), residual.value(), weight.value(), bias.value(), epsilon)
                         : of_x_alone(x, layer_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon));
  const SumAndNorm ys = record_sum("add_layer_norm", layer_norm_backward, out, x, residual, weight, bias);
  return {ys.sum, recomputed(ys.y, layer_norm, out.sum, weight, bias, epsilon)};
}

SumAndNorm add_rms_norm(const Variable& x, const Variable& residual, const Variable& weight, const Variable& bias,
                        double epsilon) {
  const AddNormed out = residual.defined()
                            ? add_rms_norm(x.value(), residual.value(), weight.value(), bias.value(), epsilon)
                            : of_x_alone(x, rms_norm_with_statistics(x.value(), weight.value(), bias.value(), epsilon));
  const SumAndNorm ys = record_sum("add_rms_norm", rms_norm_backward, out, x, residual, weight, bias);
  return {ys.sum, recomputed(ys.y, rms_norm, out.sum, weight, bias, epsilon)};
}

}  // namespace heed
