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

// `centred`: layer norm; otherwise RMS norm. The residual may be undefined: then nothing is added, and no sum is made.
AddNormed norm(bool centred, const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
               double epsilon) {
  const char* op = centred ? "layer_norm" : "rms_norm";
  check_norm(op, x, weight, bias);
  HEED_CHECK(epsilon >= 0, op, "epsilon is ", epsilon, "; it must be 0 or more, such as 1e-5");
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    auto make = [&](bool wanted, const Shape& shape) {
      return wanted ? Tensor::empty(shape, x.dtype(), x.device()) : Tensor();
    };
    const long rows = x.shape().rows();
    Tensor in = contiguous(x), r = contiguous_or_none(residual), w = contiguous_or_none(weight);
    Tensor b = contiguous_or_none(bias);
    AddNormed out{make(r.defined(), x.shape()), make(true, x.shape()), {make(centred, {rows}), make(true, {rows})}};
    auto kernel = (centred ? kernels::layer_norm<E> : kernels::rms_norm<E>)(x.device());
    kernel(out.y.mutable_data<E>(), mutable_or_null<E>(out.sum), mutable_or_null<E>(out.rows.mean),
           out.rows.scale.mutable_data<E>(), in.data<E>(), data_or_null<E>(r), data_or_null<E>(w), data_or_null<E>(b),
           rows, x.size(-1), epsilon);
    return out;
  });
}

AddNormed add_norm(bool centred, const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                   double epsilon) {
  const char* op = centred ? "add_layer_norm" : "add_rms_norm";
  check_same_kind(op, x, residual);
  HEED_CHECK(x.shape() == residual.shape(), op, "x is ", x.shape(), " and the residual is ", residual.shape(),
             "; they must be equal");
  return norm(centred, x, residual, weight, bias, epsilon);
}

Normed without_sum(const AddNormed& out) { return {out.y, out.rows}; }

void check_statistics(const char* op, bool centred, const Tensor& dy, const Tensor& x, const NormStatistics& rows) {
  check_same_kind(op, dy, x);
  HEED_CHECK(dy.shape() == x.shape(), op, "dy is ", dy.shape(), " and x is ", x.shape(), "; they must be equal");
  const Shape want{x.shape().rows()};
  for (const Tensor* each : {centred ? &rows.mean : &rows.scale, &rows.scale}) {
    check_same_kind(op, x, *each);
    HEED_CHECK(each->shape() == want && each->is_contiguous(), op, "x is ", x.shape(), " and a statistic is ",
               each->shape(), "; they must be those of ", op, "_with_statistics, ", want);
  }
}

NormGrads norm_backward(bool centred, const Tensor& dy, const Tensor& x, const Tensor& weight,
                        const NormStatistics& rows, const NormWants& wants, const Tensor& dsum) {
  const char* op = centred ? "layer_norm" : "rms_norm";
  check_norm(op, x, weight, {});
  check_statistics(op, centred, dy, x, rows);
  if (dsum.defined()) check_same_kind(op, dsum, x);
  HEED_CHECK(!dsum.defined() || dsum.shape() == x.shape(), op, "dsum is ", dsum.shape(), " and x is ", x.shape(),
             "; they must be equal");
  return visit_maths(op, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    auto make = [&](bool wanted, const Shape& shape) {
      return wanted ? Tensor::empty(shape, x.dtype(), x.device()) : Tensor();
    };
    const long count = x.shape().rows(), C = x.size(-1);
    Tensor given = contiguous(dy), in = contiguous(x), w = contiguous_or_none(weight), added = contiguous_or_none(dsum);
    NormGrads grads{make(wants.x, x.shape()), make(wants.weight, {C}), make(wants.bias, {C})};
    Tensor workspace = Tensor::empty({kernels::norm_workspace_bytes<E>(x.device())(count, C)}, u8, x.device());
    auto kernel = (centred ? kernels::layer_norm_backward<E> : kernels::rms_norm_backward<E>)(x.device());
    kernel(mutable_or_null<E>(grads.dx), mutable_or_null<E>(grads.dweight), mutable_or_null<E>(grads.dbias),
           given.data<E>(), data_or_null<E>(added), in.data<E>(), data_or_null<E>(w),
           centred ? rows.mean.data<E>() : nullptr, rows.scale.data<E>(), count, C, workspace.mutable_data<uint8_t>());
    return grads;
  });
}

Tensor scaled(Tensor y, const Tensor& weight, const Tensor& bias) {
  if (weight.defined()) y = y * weight;
  return bias.defined() ? y + bias : y;
}

}  // namespace

Normed layer_norm_with_statistics(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return without_sum(norm(true, x, {}, weight, bias, epsilon));
}
Normed rms_norm_with_statistics(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return without_sum(norm(false, x, {}, weight, bias, epsilon));
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return norm(true, x, {}, weight, bias, epsilon).y;
}
Tensor rms_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return norm(false, x, {}, weight, bias, epsilon).y;
}

AddNormed add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double epsilon) {
  return add_norm(true, x, residual, weight, bias, epsilon);
}
AddNormed add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                       double epsilon) {
  return add_norm(false, x, residual, weight, bias, epsilon);
}

NormGrads layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                              const NormWants& wants, const Tensor& dsum) {
  return norm_backward(true, dy, x, weight, rows, wants, dsum);
}
NormGrads rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const NormStatistics& rows,
                            const NormWants& wants, const Tensor& dsum) {
  return norm_backward(false, dy, x, weight, rows, wants, dsum);
}

Tensor layer_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  const Tensor centred = x - mean(x, {-1}, true);
  return scaled(centred / sqrt(mean(centred * centred, {-1}, true) + epsilon), weight, bias);
}

Tensor rms_norm_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  return scaled(x / sqrt(mean(x * x, {-1}, true) + epsilon), weight, bias);
}

}  // namespace heed
