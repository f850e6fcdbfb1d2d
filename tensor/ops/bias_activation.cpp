#include "tensor/ops/bias_activation.h"

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"

namespace heed {
namespace {

constexpr const char* kOp = "bias_activation";

void check_bias(const Tensor& x, const Tensor& bias) {
  check_same_kind(kOp, x, bias);
  HEED_CHECK(x.dims() >= 1 && bias.shape() == Shape{x.size(-1)}, kOp, "x is ", x.shape(), " and the bias is ",
             bias.shape(), "; with x (..., C) the bias must be (C,)");
}

}  // namespace

const char* name(Activation f) {
  switch (f) {
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_tanh";
    case Activation::quick_gelu: return "quick_gelu";
    case Activation::silu: return "silu";
  }
  return "unknown";
}

Tensor bias_activation(const Tensor& x, const Tensor& bias, Activation f) {
  check_bias(x, bias);
  return visit_maths(kOp, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), b = contiguous(bias), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::bias_activation<E>(x.device())(y.mutable_data<E>(), in.data<E>(), b.data<E>(), x.shape().rows(),
                                            x.size(-1), f);
    return y;
  });
}

BiasActivationGrads bias_activation_backward(const Tensor& dy, const Tensor& x, const Tensor& bias, Activation f,
                                             bool want_bias) {
  check_bias(x, bias);
  check_same_kind(kOp, dy, x);
  HEED_CHECK(dy.shape() == x.shape(), kOp, "dy is ", dy.shape(), " and x is ", x.shape(), "; they must be equal");
  return visit_maths(kOp, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    auto make = [&](const Shape& shape, DType dtype) { return Tensor::empty(shape, dtype, x.device()); };
    const long rows = x.shape().rows(), C = x.size(-1);
    Tensor d = contiguous(dy), in = contiguous(x), b = contiguous(bias), workspace;
    BiasActivationGrads grads{make(x.shape(), x.dtype()), want_bias ? make({C}, x.dtype()) : Tensor()};
    if (want_bias) workspace = make({kernels::bias_activation_workspace_bytes<E>(x.device())(rows, C)}, u8);
    kernels::bias_activation_backward<E>(x.device())({.f = f,
                                                      .rows = rows,
                                                      .C = C,
                                                      .dx = grads.dx.mutable_data<E>(),
                                                      .dbias = mutable_or_null<E>(grads.dbias),
                                                      .dy = d.data<E>(),
                                                      .x = in.data<E>(),
                                                      .bias = b.data<E>()},
                                                     mutable_or_null<uint8_t>(workspace));
    return grads;
  });
}

Tensor bias_activation_reference(const Tensor& x, const Tensor& bias, Activation f) {
  const Tensor sum = x + bias;
  switch (f) {
    case Activation::relu: return relu(sum);
    case Activation::gelu: return gelu(sum);
    case Activation::gelu_tanh: return gelu_tanh(sum);
    case Activation::quick_gelu: return quick_gelu(sum);
    case Activation::silu: return silu(sum);
  }
  fail(kOp, "the activation is number ", int(f), "; there is none with this number");
}

}  // namespace heed
