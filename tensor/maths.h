// exp, tanh, erf, the logistic function and gelu, of one number or of a Vec of them (cpu/simd.h). For float they are
// polynomials and fractions of polynomials without branches, so that a loop over an array becomes vector code; for
// double they are the library's functions.
//
// How far float results are off at most, over all arguments, in ulp (units in the last place of the result):
//
//   exp 1, tanh 6, erf 6, logistic 3;   gelu 3 ulp of x, gelu_slope 4 ulp of 1
//
// tests/tensor/maths_test.cpp checks them. Infinities give limits, NaN stays NaN.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace heed {

// What the formulas need of a number; Vec brings its own. select computes both sides: a branch would keep the compiler
// from using vectors.
constexpr int32_t bits_of(float x) { return std::bit_cast<int32_t>(x); }
constexpr float select(bool mask, float a, float b) {
  const int32_t all = -int32_t(mask);
  return std::bit_cast<float>((bits_of(a) & all) | (bits_of(b) & ~all));
}
constexpr double select(bool mask, double a, double b) { return mask ? a : b; }

namespace maths {

template <class V> using Bits = decltype(bits_of(V()));

template <class V> [[gnu::always_inline]] constexpr V from_bits(Bits<V> bits) { return std::bit_cast<V>(bits); }
template <class V> [[gnu::always_inline]] constexpr V abs(V x) { return from_bits<V>(bits_of(x) & 0x7fffffff); }
template <class V> [[gnu::always_inline]] constexpr V clamp(V x, float low, float high) {  // NaN stays NaN
  return select(x < V(low), V(low), select(x > V(high), V(high), x));
}

// c[0] + c[1] x + c[2] x^2 + ...
template <class V, int N> [[gnu::always_inline]] constexpr V polynomial(V x, const float (&c)[N]) {
  V y = c[N - 1];
  for (int i = N - 2; i >= 0; i--) y = y * x + V(c[i]);
  return y;
}

// exp(x) = 2^n exp(r) with |r| <= log(2) / 2
template <class V> struct Exponent {
  V rest;     // exp(r)
  Bits<V> n;  // as an integer
};
template <class V> [[gnu::always_inline]] constexpr Exponent<V> exponent(V x) {
  const V rounder = 12582912.f;  // 1.5 * 2^23: a sum with it has no bits behind the point
  const V shifted = x * V(1.44269504f) + rounder, n = shifted - rounder;
  const V r = x - n * V(0.693359375f) + n * V(2.12194440e-4f);  // log(2) in two parts: the first one times n is exact
  constexpr float c[] = {0.49999994f, 0.166665196f, 0.0416683927f, 0.00836878084f, 0.00138144509f};
  return {V(1.f) + (r + r * r * polynomial(r, c)), bits_of(shifted) - bits_of(rounder)};
}

template <class V> [[gnu::always_inline]] constexpr V exp(V x) {
  const Exponent<V> e = exponent(clamp(x, -104.f, 89.f));  // beyond: 0 and infinity
  const Bits<V> half = e.n >> 1;                           // 2^n by two factors, since 2^128 and 2^-150 are no floats
  return e.rest * from_bits<V>((half + 127) << 23) * from_bits<V>((e.n - half + 127) << 23);
}
constexpr double exp(double x) { return std::exp(x); }

// exp(x) for x <= 0, with less work; 0 where it would be below 2^-126, the smallest normal float.
template <class V> [[gnu::always_inline]] constexpr V exp_negative(V x) {
  const Exponent<V> e = exponent(select(x < V(-87.f), V(-87.f), x));
  return select(x < V(-87.f), V(0.f), e.rest * from_bits<V>((e.n + 127) << 23));
}
constexpr double exp_negative(double x) { return std::exp(x); }

// 2^x for x <= 0 within 1.2 ulp, and 0 below 2^-64: where it is a factor of a product, as in attention, results too
// small for a normal float would make the product a hundred times as slow.
template <class V> [[gnu::always_inline]] constexpr V exp2_negative(V x) {
  constexpr float c[] = {
      1.f, 0.693147182f, 0.240226477f, 0.0555033274f, 0.00961844716f, 0.00133987889f, 0.000153503235f};
  const V rounder = 12582912.f + 127.f, shifted = x + rounder, f = x - (shifted - rounder);
  return select(x < V(-64.f), V(0.f), polynomial(f, c) * from_bits<V>(bits_of(shifted) << 23));
}
constexpr double exp2_negative(double x) { return std::exp2(x); }

// 1 / (1 + exp(-x)); the exponential is at most 1, so it never overflows and small results keep their digits.
template <class V> [[gnu::always_inline]] constexpr V logistic(V x) {
  const V e = exp(-abs(x));
  return select(x < V(0.f), e, V(1.f)) / (V(1.f) + e);
}
constexpr double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// x P(x^2) / Q(x^2), the limit beyond.
template <class V> [[gnu::always_inline]] constexpr V tanh(V x) {
  constexpr float p[] = {1.f, 0.133797169f, 0.00349403266f, 2.05834494e-05f, 1.33190241e-08f};
  constexpr float q[] = {1.f, 0.467130303f, 0.0258710664f, 0.000328308961f, 7.76200068e-07f};
  const V a = clamp(x, -9.02f, 9.02f), square = a * a;
  return clamp(a * polynomial(square, p) / polynomial(square, q), -1.f, 1.f);
}
constexpr double tanh(double x) { return std::tanh(x); }

// x P(x^2) / Q(x^2) = Phi(x) - 1/2 for |x| <= 5.6, Phi being the distribution of normal numbers
template <class V> [[gnu::always_inline]] constexpr V normal_odd(V x) {
  constexpr float p[] = {0.398942262f, 0.0339289941f, 0.00467735017f, 0.000168929138f, 6.2897966e-06f, 2.22975629e-08f};
  constexpr float q[] = {1.f, 0.251713693f, 0.0286775418f, 0.00188549131f, 7.33442648e-05f, 1.17966283e-06f};
  const V square = x * x;
  return x * polynomial(square, p) / polynomial(square, q);
}

template <class V> [[gnu::always_inline]] constexpr V erf(V x) {
  return clamp(V(2.f) * normal_odd(clamp(V(1.41421356f) * x, -5.6f, 5.6f)), -1.f, 1.f);
}
constexpr double erf(double x) { return std::erf(x); }

// y where |x| <= edge, beyond it low or high; NaN stays NaN
template <class V> [[gnu::always_inline]] constexpr V between(V x, float edge, V y, V low, V high) {
  return select(x < V(-edge), low, select(x > V(edge), high, y));
}

// x Phi(x); 0 below -5.6, where it is less than 6e-8
template <class V> [[gnu::always_inline]] constexpr V gelu(V x) {
  return between(x, 5.6f, x * (V(0.5f) + normal_odd(x)), V(0.f), x);
}
constexpr double normal_distribution(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
constexpr double gelu(double x) {
  const double p = normal_distribution(x);
  return p == 0 ? 0 : x * p;  // -inf * 0 would be NaN
}

// dgelu/dx = Phi(x) + x phi(x), phi being the density
template <class V> [[gnu::always_inline]] constexpr V gelu_slope(V x) {
  constexpr float p[] = {0.797884762f, -0.0308244042f, 0.0142158f, 2.25777439e-05f, 3.58919169e-05f, 1.91560687e-07f};
  constexpr float q[] = {1.f, 0.294705123f, 0.0410381444f, 0.00352652417f, 0.000193094209f, 8.90980027e-06f};
  const V square = x * x, y = V(0.5f) + x * polynomial(square, p) / polynomial(square, q);
  return between(x, 5.7f, y, V(0.f), V(1.f));
}
constexpr double gelu_slope(double x) {
  const double density = 0.39894228040143267794 * std::exp(-0.5 * x * x);
  return normal_distribution(x) + (density == 0 ? 0 : x * density);
}

}  // namespace maths
}  // namespace heed
