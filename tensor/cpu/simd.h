// Vec: as many numbers as one register of this CPU holds, for kernels that add up along a row, where the compiler may
// not reorder additions by itself. Arithmetic and comparisons work lane by lane; plain loops over arrays do not need
// it, the compiler turns those into the same code. Built on the vector types of g++ and clang: no CPU is named here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tensor/maths.h"

namespace heed {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

template <class E> struct VectorTypes;
template <> struct VectorTypes<float> {
  typedef float Raw __attribute__((vector_size(kVectorBytes)));
  typedef float Anywhere __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));
  typedef int32_t Int __attribute__((vector_size(kVectorBytes)));
};
template <> struct VectorTypes<double> {
  typedef double Raw __attribute__((vector_size(kVectorBytes)));
  typedef double Anywhere __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
  typedef int64_t Int __attribute__((vector_size(kVectorBytes)));
};

template <class E> struct Vec {
  using Raw = typename VectorTypes<E>::Raw;
  using Anywhere = typename VectorTypes<E>::Anywhere;  // at any address
  using Int = typename VectorTypes<E>::Int;            // as a mask: all bits of a lane, or none
  static constexpr long kLanes = kVectorBytes / long(sizeof(E));

  Raw raw;

  Vec() = default;
  Vec(Raw raw) : raw(raw) {}
  Vec(E x) : raw(x - Raw{}) {}  // x in every lane
  static Vec load(const E* p) { return Raw(*reinterpret_cast<const Anywhere*>(p)); }
  void store(E* p) const { *reinterpret_cast<Anywhere*>(p) = raw; }
  // The first n lanes only; the others are `rest`, and are not stored.
  static Vec load(const E* p, long n, E rest = 0) {
    Vec v(rest);
    std::memcpy(&v.raw, p, size_t(n) * sizeof(E));
    return v;
  }
  void store(E* p, long n) const { std::memcpy(p, &raw, size_t(n) * sizeof(E)); }

  friend Vec operator-(Vec a) { return -a.raw; }
  friend Vec operator+(Vec a, Vec b) { return a.raw + b.raw; }
  friend Vec operator-(Vec a, Vec b) { return a.raw - b.raw; }
  friend Vec operator*(Vec a, Vec b) { return a.raw * b.raw; }
  friend Vec operator/(Vec a, Vec b) { return a.raw / b.raw; }
  friend Int operator<(Vec a, Vec b) { return a.raw < b.raw; }
  friend Int operator<=(Vec a, Vec b) { return a.raw <= b.raw; }
  friend Int operator>(Vec a, Vec b) { return a.raw > b.raw; }
  friend Int operator==(Vec a, Vec b) { return a.raw == b.raw; }
  friend Vec select(Int mask, Vec a, Vec b) { return mask ? a.raw : b.raw; }
  friend Int bits_of(Vec a) { return Int(a.raw); }
};

template <class E> Vec<E> max(Vec<E> a, Vec<E> b) { return select(a > b, a, b); }  // b if one is NaN

template <class E> [[gnu::always_inline]] inline E sum_lanes(Vec<E> v) {  // halves onto halves
  for (long width = Vec<E>::kLanes / 2; width > 0; width /= 2)
    for (long j = 0; j < width; j++) v.raw[j] += v.raw[j + width];
  return v.raw[0];
}

// ---- one row of n numbers

// A whole vector, as a number that is known while compiling: Vec::load(p, count) is one instruction then. That is why
// the functions below are given as [&](long i, auto count).
template <class E> using Whole = std::integral_constant<long, Vec<E>::kLanes>;

// f(i, count) for the vectors of a row: they begin at i and have `count` lanes that count, all but in the last one.
template <class E, class F> [[gnu::always_inline]] inline void for_vectors(long n, F&& f) {
  constexpr long kLanes = Vec<E>::kLanes;
  long i = 0;
  for (; i + kLanes <= n; i += kLanes) f(i, Whole<E>());
  if (i < n) f(i, n - i);
}

// The sum of f(i, count), whose lanes beyond count must be 0; four partial sums, added up in a fixed order.
template <class E, class F> [[gnu::always_inline]] inline E sum_vectors(long n, F&& f) {
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> part[4] = {E(0), E(0), E(0), E(0)};
  long i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes)
    for (long k = 0; k < 4; k++) part[k] = part[k] + f(i + k * kLanes, Whole<E>());
  for (; i + kLanes <= n; i += kLanes) part[0] = part[0] + f(i, Whole<E>());
  if (i < n) part[1] = part[1] + f(i, n - i);
  return sum_lanes((part[0] + part[1]) + (part[2] + part[3]));
}

// f(0) + f(1) + ... + f(n - 1) for an f of one element, such as a square in double of a float, from which the compiler
// makes vector code: sixteen partial sums, added up in a fixed order that is the same on every CPU.
template <class E, class F> E lane_sum(long n, F&& f) {
  constexpr long kLanes = 16;
  E lane[kLanes] = {};
  long i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (long j = 0; j < kLanes; j++) lane[j] += f(i + j);
  for (; i < n; i++) lane[i % kLanes] += f(i);
  for (long width = kLanes / 2; width > 0; width /= 2)
    for (long j = 0; j < width; j++) lane[j] += lane[j + width];
  return lane[0];
}

// The largest number of a row, -infinity if there is none; NaN is passed over.
template <class E> [[gnu::always_inline]] inline E max_vectors(const E* x, long n) {
  constexpr E none = -std::numeric_limits<E>::infinity();
  constexpr long kLanes = Vec<E>::kLanes;
  Vec<E> part[2] = {none, none};
  long i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes)
    for (long k = 0; k < 2; k++) part[k] = max(Vec<E>::load(x + i + k * kLanes), part[k]);
  for (; i < n; i += kLanes) part[0] = max(Vec<E>::load(x + i, std::min(kLanes, n - i), none), part[0]);
  const Vec<E> all = max(part[0], part[1]);
  E top = all.raw[0];
  for (long j = 1; j < kLanes; j++) top = all.raw[j] > top ? all.raw[j] : top;
  return top;
}

// ---- what maths.h has for float only, lane by lane

namespace maths {
template <class F> Vec<double> by_lane(Vec<double> x, F&& f) {
  for (long j = 0; j < Vec<double>::kLanes; j++) x.raw[j] = f(x.raw[j]);
  return x;
}
inline Vec<double> exp(Vec<double> x) {
  return by_lane(x, [](double v) { return std::exp(v); });
}
inline Vec<double> exp_negative(Vec<double> x) { return exp(x); }
inline Vec<double> exp2_negative(Vec<double> x) {
  return by_lane(x, [](double v) { return std::exp2(v); });
}
}  // namespace maths

}  // namespace heed
