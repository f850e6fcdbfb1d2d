#include "autograd/ops/layer_norm.h"

namespace heed {
namespace {

// A norm keeps what it normed, x or the sum: y is computed again from it, for the gradient of a product's weights.
Variable recomputed(const Variable& y, Centre centre, const Saved& sum, const Variable& weight, const Variable& bias,
                    double epsilon) {
  if (!y.requires_grad()) return y;
  return recomputable(y, [=, weight = Saved(weight), bias = Saved(bias)] {
    return add_norm(centre, sum, {}, weight, bias, epsilon).y;
  });
}

Variable norm(Centre centre, const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  const Normed out = add_norm(centre, x.value(), {}, weight.value(), bias.value(), epsilon);
  const NormWants wants{x.requires_grad(), weight.requires_grad(), bias.requires_grad()};
  const Variable y = record(centre == Centre::mean ? "layer_norm" : "rms_norm", out.y, {x, weight, bias},
                            [centre, wants, x = Saved(x), weight = Saved(weight), mean = Saved(out.rows.mean),
                             scale = Saved(out.rows.scale)](const Tensor& dy) {
                              const NormGrads grads = norm_backward(centre, dy, x, weight, {mean, scale}, wants);
                              return Grads{grads.dx, grads.dweight, grads.dbias};
                            });
  return recomputed(y, centre, x, weight, bias, epsilon);
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  return norm(Centre::mean, x, weight, bias, epsilon);
}

Variable rms_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon) {
  return norm(Centre::none, x, weight, bias, epsilon);
}

// Outputs: the sum and its norm. A gradient may arrive at both, or at one of them.
SumAndNorm add_norm(Centre centre, const Variable& x, const Variable& residual, const Variable& weight,
                    const Variable& bias, double epsilon) {
  const char* op = centre == Centre::mean ? "add_layer_norm" : "add_rms_norm";
  const Normed out = add_norm(centre, x.value(), residual.value(), weight.value(), bias.value(), epsilon);
  const std::vector<Input> inputs = {x, weight, bias, residual};
  // What looks for NaN needs to see y only: a sum that is not finite has no finite norm.
  if (!is_recorded(op, out.y, inputs.data(), inputs.size())) return {out.sum, out.y};
  const NormWants wants{x.requires_grad() || residual.requires_grad(), weight.requires_grad(), bias.requires_grad()};
  auto backward = [centre, wants, sum = Saved(out.sum), weight = Saved(weight), mean = Saved(out.rows.mean),
                   scale = Saved(out.rows.scale)](const std::vector<Tensor>& dys) {
    NormGrads grads{dys[0], {}, {}};
    if (dys[1].defined()) grads = norm_backward(centre, dys[1], sum, weight, {mean, scale}, wants, dys[0]);
    return Grads{grads.dx, grads.dweight, grads.dbias, grads.dx};
  };
  const std::vector<Variable> ys = record_node(op, {out.sum, out.y}, inputs, std::move(backward));
  return {ys[0], recomputed(ys[1], centre, out.sum, weight, bias, epsilon)};
}

}  // namespace heed
