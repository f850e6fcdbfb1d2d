// The table of elementwise ops: one line each with its name, what its gradient needs, its value and its derivative.
// A line is all it takes: from it come the doors on Tensor (elementwise.h) and Variable (autograd/ops/elementwise.h),
// the kernels for f32 and f64, and the tests. That is why this is the one place with a macro that is not a check.
//
// In a formula: E is float or double; a unary op has x and y = f(x); a binary op has a, b and y = f(a, b).
#pragma once

#include <cmath>
#include <concepts>

#include "tensor/maths.h"

namespace heed {

// What a gradient needs of the forward pass; autograd keeps nothing else alive.
enum class Saves { none, x, y, ab, by };

// As a derivative: the gradient passes through unchanged, without a kernel.
struct One {};
template <class E> constexpr E operator*(E dy, One) { return dy; }

// What the formulas share. They hold for every x: infinities give limits, NaN stays NaN. Functions from maths.h, and
// what is built on them alone, also work on a Vec of numbers, and the kernels use that (E is a Vec then).
template <std::floating_point E> constexpr E signum(E x) { return x > 0 ? E(1) : x < 0 ? E(-1) : x; }

// x * p for a p that vanishes faster than x grows: 0 in the limit, where -inf * 0 would be NaN.
template <class E> [[gnu::always_inline]] constexpr E gated(E x, E p) { return select(p == E(0), E(0), x * p); }

// y = x s(u) with s = logistic and u = u(x): dy/dx = s(u) + x u'(x) s(u) s(-u)
template <class E> [[gnu::always_inline]] constexpr E gate_slope(E x_du, E u) {
  return maths::logistic(u) + gated(x_du, maths::logistic(u) * maths::logistic(-u));
}

// 0.5 (1 + tanh(v)) = s(2 v): the tanh form of gelu is x s(u) with u = sqrt(8 / pi) (x + 0.044715 x^3).
template <class E> [[gnu::always_inline]] constexpr E gelu_u(E x) {
  return E(1.59576912160573071176) * x * (E(1) + E(0.044715) * x * x);
}
template <class E> [[gnu::always_inline]] constexpr E gelu_x_du(E x) {
  return E(1.59576912160573071176) * x * (E(1) + E(0.134145) * x * x);
}

// a^b. At a = 0 the slopes are the limits for b > 0; 0^0 is 1, and both slopes there are 0. A negative a has powers for
// whole b only, so there is no slope in b: NaN.
template <class E> constexpr E pow_slope_a(E a, E b) { return b == 0 ? E(0) : b * std::pow(a, b - 1); }
template <class E> constexpr E pow_slope_b(E a, E b) { return a == 0 && b >= 0 ? E(0) : std::pow(a, b) * std::log(a); }

}  // namespace heed

// clang-format off
//      name        saves  y = f(x)                                   dy/dx
#define HEED_UNARY_TABLE(ROW)                                                                                         \
    ROW(neg,        none,  -x,                                        E(-1))                                          \
    ROW(abs,        x,     std::abs(x),                               signum(x))                                      \
    ROW(sign,       none,  signum(x),                                 E(0))                                           \
    ROW(square,     x,     x * x,                                     2 * x)                                          \
    ROW(reciprocal, y,     1 / x,                                     -y * y)                                         \
    ROW(sqrt,       y,     std::sqrt(x),                              E(0.5) / y)                                     \
    ROW(rsqrt,      y,     1 / std::sqrt(x),                          E(-0.5) * y * y * y)                            \
    ROW(exp,        y,     maths::exp(x),                             y)                                              \
    ROW(expm1,      y,     std::expm1(x),                             y + 1)                                          \
    ROW(log,        x,     std::log(x),                               1 / x)                                          \
    ROW(log1p,      x,     std::log1p(x),                             1 / (1 + x))                                    \
    ROW(erf,        x,     maths::erf(x),                             E(1.12837916709551257390) * maths::exp(-x * x)) \
    ROW(tanh,       y,     maths::tanh(x),                            E(1) - y * y)                                   \
    ROW(sigmoid,    y,     maths::logistic(x),                        y * (E(1) - y))                                 \
    ROW(relu,       y,     select(x < E(0), E(0), x),                 select(y <= E(0), E(0), E(1)))                  \
    ROW(elu,        x,     (x > 0 ? x : std::expm1(x)),               (x > 0 ? E(1) : std::exp(x)))                   \
    ROW(elu_plus_one, y,   select(x > E(0), x + E(1), maths::exp(x)), select(y > E(1), E(1), y))                      \
    ROW(softplus,   x,     (x > 0 ? x : E(0)) + std::log1p(std::exp(-std::abs(x))), maths::logistic(x))               \
    ROW(gelu,       x,     maths::gelu(x),                            maths::gelu_slope(x))                           \
    ROW(gelu_tanh,  x,     gated(x, maths::logistic(gelu_u(x))),      gate_slope(gelu_x_du(x), gelu_u(x)))            \
    ROW(quick_gelu, x,     gated(x, maths::logistic(E(1.702) * x)),   gate_slope(E(1.702) * x, E(1.702) * x))         \
    ROW(silu,       x,     gated(x, maths::logistic(x)),              gate_slope(x, x))

//      name        saves  y = f(a, b)                    dy/da                       dy/db
#define HEED_BINARY_TABLE(ROW)                                                                                        \
    ROW(add,        none,  a + b,                         One(),                      One())                          \
    ROW(sub,        none,  a - b,                         One(),                      E(-1))                          \
    ROW(mul,        ab,    a * b,                         b,                          a)                              \
    ROW(div,        by,    a / b,                         1 / b,                      -y / b)                         \
    ROW(pow,        ab,    std::pow(a, b),                pow_slope_a(a, b),          pow_slope_b(a, b))              \
    ROW(maximum,    ab,    (a > b || a != a ? a : b),     E(a > b || a != a),         E(!(a > b || a != a)))          \
    ROW(minimum,    ab,    (a < b || a != a ? a : b),     E(a < b || a != a),         E(!(a < b || a != a)))
// clang-format on
