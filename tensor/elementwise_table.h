// The table of elementwise ops: one line each with its name, what its gradient needs, its value and its derivative.
// A line is all it takes: from it come the doors on Tensor (elementwise.h) and Variable (autograd/elementwise.h),
// the kernels for f32 and f64, and the tests. That is why this is the one place with a macro that is not a check.
//
// In a formula: T is float or double; a unary op has x and y = f(x); a binary op has a, b and y = f(a, b).
#pragma once

#include <cmath>

namespace heed {

// What a gradient needs of the forward pass; autograd keeps nothing else alive.
enum class Saves { none, x, y, ab, by };

// As a derivative: the gradient passes through unchanged, without a kernel.
struct One {};
template <class T> T operator*(T dy, One) { return dy; }

template <class T> T normal_cdf(T x) { return T(0.5) * std::erfc(-x * T(0.70710678118654752440)); }
template <class T> T normal_pdf(T x) { return T(0.39894228040143267794) * std::exp(T(-0.5) * x * x); }

}  // namespace heed

// clang-format off
//      name     saves  y = f(x)                              dy/dx
#define HEED_UNARY_TABLE(ROW)                                                                    \
    ROW(neg,     none,  -x,                                   T(-1))                             \
    ROW(exp,     y,     std::exp(x),                          y)                                 \
    ROW(log,     x,     std::log(x),                          1 / x)                             \
    ROW(sqrt,    y,     std::sqrt(x),                         T(0.5) / y)                        \
    ROW(tanh,    y,     std::tanh(x),                         1 - y * y)                         \
    ROW(sigmoid, y,     1 / (1 + std::exp(-x)),               y * (1 - y))                       \
    ROW(relu,    y,     (x < 0 ? T(0) : x),                   (y > 0 ? T(1) : T(0)))             \
    ROW(gelu,    x,     x * normal_cdf(x),                    normal_cdf(x) + x * normal_pdf(x))

//      name     saves  y = f(a, b)                           dy/da                   dy/db
#define HEED_BINARY_TABLE(ROW)                                                                   \
    ROW(add,     none,  a + b,                                One(),                  One())     \
    ROW(sub,     none,  a - b,                                One(),                  T(-1))     \
    ROW(mul,     ab,    a * b,                                b,                      a)         \
    ROW(div,     by,    a / b,                                1 / b,                  -y / b)    \
    ROW(maximum, ab,    (a > b || a != a ? a : b),            T(a > b || a != a),     T(!(a > b || a != a)))
// clang-format on
