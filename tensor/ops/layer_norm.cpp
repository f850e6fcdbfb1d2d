#include "tensor/ops/layer_norm.h"

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

void check_norm(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_defined(op, x);
  HEED_CHECK(x.dims() >= 1, op, "x is ", x.shape(), "; it must have at least one axis: (..., C)");
  for (const auto& [name, vector] : {std::pair{"weight", &weight}, {"bias", &bias}}) {
    if (!vector->defined()) continue;
    check_same_kind(op, x, *vector);
    HEED_CHECK(vector->shape() == Shape{x.size(-1)}, op, "x is ", x.shape(), " and the ", name, " is ", vector->shape(),
               "; with x (..., C) the ", name, " must be (C,)");
  }
}

void check_residual(const char* op, const Tensor& x, const Tensor& residual) {
  if (!residual.defined()) return;
  check_same_kind(op, x, residual);
  HEED_CHECK(x.shape() == residual.shape(), op, "x is ", x.shape(), " and the residual is ", residual.shape(),
             "; they must be equal");
}

void check_backward(const char* op, const Tensor& dy, const Tensor& x, const NormStatistics& rows, Centre centre,
                    const Tensor& dsum) {
  check_same_kind(op, dy, x);
  HEED_CHECK(dy.shape() == x.shape(), op, "dy is ", dy.shape(), " and x is ", x.shape(), "; they must be equal");
  const Shape want{x.shape().rows()};
  for (const Tensor* each : {centre == Centre::mean ? &rows.mean : &rows.scale, &rows.scale}) {
    check_same_kind(op, x, *each);
    HEED_CHECK(each->shape() == want && each->is_contiguous(), op, "x is ", x.shape(), " and a statistic is ",
               each->shape(), "; they must be those of add_norm, ", want);
  }
  if (!dsum.defined()) return;
  check_same_kind(op, dsum, x);
  HEED_CHECK(dsum.shape() == x.shape(), op, "dsum is ", dsum.shape(), " and x is ", x.shape(), "; they must be equal");
}

Tensor made_if(bool wanted, const Shape& shape, const Tensor& like) {
  return wanted ? Tensor::empty(shape, like.dtype(), like.device()) : Tensor();
}

Tensor scaled(Tensor y, const Tensor& weight, const Tensor& bias) {
  if (weight.defined()) y = y * weight;
  return bias.defined() ? y + bias : y;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return add_norm(Centre::mean, x, {}, weight, bias, epsilon).y;
}
Tensor rms_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return add_norm(Centre::none, x, {}, weight, bias, epsilon).y;
}

Normed add_norm(Centre centre, const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                double epsilon) {
  const bool centred = centre == Centre::mean;
  const char* op = centred ? "layer_norm" : "rms_norm";
  check_residual(centred ? "add_layer_norm" : "add_rms_norm", x, residual);
  check_norm(op, x, weight, bias);
  HEED_CHECK(epsilon >= 0, op, "epsilon is ", epsilon, "; it must be 0 or more, such as 1e-5");
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const long rows = x.shape().rows();
    const Tensor in = contiguous(x), r = contiguous_or_none(residual);
    const Tensor w = contiguous_or_none(weight), b = contiguous_or_none(bias);
    Normed out{made_if(r.defined(), x.shape(), x),
               made_if(true, x.shape(), x),
               {made_if(centred, {rows}, x), made_if(true, {rows}, x)}};
    kernels::layer_norm<E>(x.device())({.centre = centre,
                                        .rows = rows,
                                        .C = x.size(-1),
                                        .epsilon = epsilon,
                                        .y = out.y.mutable_data<E>(),
                                        .sum = mutable_or_null<E>(out.sum),
                                        .mean = mutable_or_null<E>(out.rows.mean),
                                        .scale = out.rows.scale.mutable_data<E>(),
                                        .x = in.data<E>(),
                                        .residual = data_or_null<E>(r),
                                        .weight = data_or_null<E>(w),
                                        .bias = data_or_null<E>(b)});
    if (!r.defined()) out.sum = x;
    return out;
  });
}

NormGrads norm_backward(Centre centre, const Tensor& dy, const Tensor& sum, const Tensor& weight,
                        const NormStatistics& rows, const NormWants& wants, const Tensor& dsum) {
  const char* op = centre == Centre::mean ? "layer_norm" : "rms_norm";
  check_norm(op, sum, weight, {});
  check_backward(op, dy, sum, rows, centre, dsum);
  return visit_maths(op, sum.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const long count = sum.shape().rows(), C = sum.size(-1);
    const Tensor given = contiguous(dy), in = contiguous(sum), w = contiguous_or_none(weight);
    const Tensor added = contiguous_or_none(dsum);
    const NormGrads grads{made_if(wants.x, sum.shape(), sum), made_if(wants.weight, {C}, sum),
                          made_if(wants.bias, {C}, sum)};
    const long bytes = kernels::layer_norm_workspace_bytes<E>(sum.device())(count, C);
    const Tensor workspace = Tensor::empty({bytes}, u8, sum.device());
    kernels::layer_norm_backward<E>(sum.device())({.centre = centre,
                                                   .rows = count,
                                                   .C = C,
                                                   .dx = mutable_or_null<E>(grads.dx),
                                                   .dweight = mutable_or_null<E>(grads.dweight),
                                                   .dbias = mutable_or_null<E>(grads.dbias),
                                                   .dy = given.data<E>(),
                                                   .dsum = data_or_null<E>(added),
                                                   .sum = in.data<E>(),
                                                   .weight = data_or_null<E>(w),
                                                   .mean = data_or_null<E>(rows.mean),
                                                   .scale = rows.scale.data<E>()},
                                                  workspace.mutable_data<uint8_t>());
    return grads;
  });
}

Tensor layer_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  const Tensor centred = x - mean(x, {-1}, true);
  return scaled(centred / sqrt(mean(centred * centred, {-1}, true) + epsilon), weight, bias);
}

Tensor rms_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return scaled(x / sqrt(mean(x * x, {-1}, true) + epsilon), weight, bias);
}

}  // namespace heed
