#include "tensor/ops/where.h"

#include <algorithm>

#include "tensor/create.h"

namespace heed {
namespace {

void check_condition(const char* op, const char* what, const Tensor& condition, const Tensor& x) {
  check_defined(op, condition);
  check_defined(op, x);
  HEED_CHECK(condition.dtype() == boolean, op, "the ", what, " is ", condition.dtype(),
             "; it must be boolean. Did you mean not_equal(x, 0)?");
  HEED_CHECK(condition.device() == x.device(), op, "the ", what, " is on ", condition.device(), " and x is on ",
             x.device(), "; both must be on one device. Move one with to(x, device)");
}

// Sizes aligned at the right are equal or 1.
bool fit(const Shape& a, const Shape& b) {
  bool all = true;
  for (int back = 1; back <= std::min(a.dims(), b.dims()); back++) {
    long size_a = a[a.dims() - back], size_b = b[b.dims() - back];
    all = all && (size_a == size_b || size_a == 1 || size_b == 1);
  }
  return all;
}

void check_limits(double low, double high) {
  HEED_CHECK(low <= high, "clamp", "low is ", low, " and high is ", high, "; the rule is low <= high");
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_same_kind("where", a, b);
  check_condition("where", "condition", condition, a);
  HEED_CHECK(fit(condition.shape(), a.shape()) && fit(condition.shape(), b.shape()) && fit(a.shape(), b.shape()),
             "where", "the condition is ", condition.shape(), ", a is ", a.shape(), " and b is ", b.shape(),
             "; they do not broadcast: sizes aligned at the right must be equal or 1");
  Shape shape = broadcast("where", broadcast("where", a.shape(), b.shape()), condition.shape());
  Tensor y = Tensor::empty(shape, a.dtype(), a.device());
  visit(a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::where(a.device())(y.mutable_data<E>(), condition.data<bool>(), a.data<E>(), b.data<E>(), a.dtype(),
                               make_loop(shape, {&y, &condition, &a, &b}));
  });
  return y;
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check_condition("masked_fill", "mask", mask, x);
  bool fits = fit(x.shape(), mask.shape()) && broadcast("masked_fill", x.shape(), mask.shape()) == x.shape();
  HEED_CHECK(fits, "masked_fill", "x is ", x.shape(), " and the mask is ", mask.shape(),
             "; the mask must broadcast to x");
  return where(mask, scalar(value, x.dtype(), x.device()), x);
}

Tensor clamp(const Tensor& x, double low, double high) {
  check_defined("clamp", x);
  check_limits(low, high);
  return visit_maths("clamp", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::clamp<E>(x.device())(y.mutable_data<E>(), x.data<E>(), E(low), E(high), make_loop(y.shape(), {&y, &x}));
    return y;
  });
}

Tensor clamp_backward(const Tensor& dy, const Tensor& x, double low, double high) {
  check_same_kind("clamp", dy, x);
  check_limits(low, high);
  HEED_CHECK(dy.shape() == x.shape(), "clamp", "dy is ", dy.shape(), " and x is ", x.shape(), "; they must be equal");
  return visit_maths("clamp", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor dx = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::clamp_backward<E>(x.device())(dx.mutable_data<E>(), dy.data<E>(), x.data<E>(), E(low), E(high),
                                           make_loop(dx.shape(), {&dx, &dy, &x}));
    return dx;
  });
}

}  // namespace heed
