// Ops whose forward and backward are each one pass over memory when they are fused. 4 bytes a number.
#include "autograd/ops/bias_activation.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/softmax.h"
#include "bench/kernels.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

struct Kernel {
  const char *name, *verb;
  long rows, cols;
  double passes;  // tensors of rows x cols that are read or written
  double bar;
};

Case kernel_case(const Kernel& k, const std::function<Action()>& make) {
  return {.group = "fused kernels, forward and backward",
          .name = std::string(k.name) + " " + times({k.rows, k.cols}),
          .request = request(k.verb, {k.rows, k.cols}),
          .amount = 4 * k.passes * double(k.rows) * double(k.cols),
          .limit = Limit::copy,
          .bar = {.ratio = k.bar},
          .make = make};
}

// forward: x -> y; backward: dy, x -> dx, and db along the way
Case bias_gelu(long T, long C, bool tanh_form) {
  const Kernel kernel{tanh_form ? "bias + tanh GELU" : "bias + GELU",
                      tanh_form ? "bias_gelu_tanh" : "bias_gelu",
                      T,
                      C,
                      5,
                      tanh_form ? 0.0 : 3.0};
  const auto forward = [=](const std::vector<Variable>& v) {
    return bias_activation(v[0], v[1], tanh_form ? Activation::gelu_tanh : Activation::gelu);
  };
  return kernel_case(kernel, forward_backward({{T, C}, {C}}, forward));
}

// forward: x -> y; backward: dy, x -> dx, and dweight, dbias along the way
Case norm(long T, long C) {
  return kernel_case({"layer norm", "layer_norm", T, C, 5, 1.5},
                     forward_backward({{T, C}, {C}, {C}}, [](auto& v) { return layer_norm(v[0], v[1], v[2]); }));
}

// s = x + r, y = norm(s). forward: x, r -> s, y; backward: ds, dy, s -> dx, which is dr as well
Case residual_norm(long T, long C) {
  const auto make = [=]() -> Action {
    const Tensor x = randn({T, C}, 1), r = randn({T, C}, 2), w = randn({C}, 3), b = randn({C}, 4);
    const Tensor ds = randn({T, C}, 5), dy = randn({T, C}, 6), one = randn({}, 7);
    return [=] {
      const auto [s, y] =
          add_norm(Centre::mean, Variable::leaf(x), Variable::leaf(r), Variable::leaf(w), Variable::leaf(b), 1e-5);
      // One backward from both: s goes on to the next block, y into this one.
      record("both", one, {s, y}, [&](const Tensor&) { return Grads{ds, dy}; }).backward();
    };
  };
  return kernel_case({"residual + layer norm", "residual_norm", T, C, 8, 0}, make);
}

// forward: x -> y; backward: dy, y -> dx
Case softmax_case(long T, long C) {
  return kernel_case({"softmax", "softmax", T, C, 5, 1.5},
                     forward_backward({{T, C}}, [](auto& v) { return softmax(v[0]); }));
}

// x -> dx, if the forward pass makes the gradient as well
Case cross_entropy_case(long T, long V) {
  const auto make = [=]() -> Action {
    const Tensor x = randn({T, V}, 1), targets = random_ids(T, V);
    return [=] { cross_entropy(Variable::leaf(x), targets).backward(); };
  };
  return kernel_case({"cross-entropy", "cross_entropy", T, V, 2, 1.5}, make);
}

}  // namespace

std::vector<Case> kernel_cases() {
  return {bias_gelu(4096, 1024, false),
          bias_gelu(4096, 1024, true),
          norm(4096, 256),
          norm(4096, 2048),
          residual_norm(4096, 256),
          softmax_case(4096, 256),
          softmax_case(4096, 2048),
          cross_entropy_case(4096, 256)};
}

}  // namespace heed::bench
