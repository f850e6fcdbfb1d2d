// Maxima and minima with their places. Of equal elements the first counts, and NaN beats all; a result does not depend
// on how the work is cut.
#include <cstdint>
#include <limits>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"
#include "tensor/ops/reduce.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // without AVX: nobody outside of this file is given a vector

namespace heed {
namespace {

struct Max {
  template <class V> static auto better(V a, V b) { return a > b; }
};
struct Min {
  template <class V> static auto better(V a, V b) { return a < b; }
};

// The loops over a row are written with vectors: the compiler makes no vector code of choices between lanes.
template <class E> struct Lanes {
  static constexpr long kCount = 32 / sizeof(E);
  typedef E Vector __attribute__((vector_size(32)));
  typedef E Place __attribute__((vector_size(32), aligned(sizeof(E)), may_alias));  // a vector anywhere in memory
  using Mask = decltype(Vector() == Vector());

  static Vector load(const E* x) { return *reinterpret_cast<const Place*>(x); }
  static bool any(Mask mask) {
    typedef int64_t Words __attribute__((vector_size(32)));
    const Words words = Words(mask);
    return (words[0] | words[1] | words[2] | words[3]) != 0;
  }
};

constexpr int kVectors = 4;  // next to each other: a comparison waits for the one before

// The best value of x (n), n > 0, or NaN if there is one.
template <class Op, class E> E best_value(const E* x, long n) {
  using L = Lanes<E>;
  typename L::Vector top[kVectors];
  typename L::Mask nan{};
  for (auto& t : top) t = typename L::Vector{} + x[0];
  long i = 0;
  for (; i + kVectors * L::kCount <= n; i += kVectors * L::kCount)
    for (int k = 0; k < kVectors; k++) {
      const auto value = L::load(x + i + k * L::kCount);
      top[k] = Op::better(value, top[k]) ? value : top[k];
      nan |= value != value;
    }
  E best = x[0];
  bool any_nan = L::any(nan);
  for (auto& t : top)
    for (long j = 0; j < L::kCount; j++) best = Op::better(t[j], best) ? t[j] : best;
  for (; i < n; i++) {
    best = Op::better(x[i], best) ? x[i] : best;
    any_nan |= x[i] != x[i];
  }
  return any_nan ? std::numeric_limits<E>::quiet_NaN() : best;
}

// Where in x (n) the value stands first; it is there.
template <class E> long place_of(E value, const E* x, long n) {
  using L = Lanes<E>;
  const auto all = typename L::Vector{} + value;
  long i = 0;
  for (; i + kVectors * L::kCount <= n; i += kVectors * L::kCount) {
    typename L::Mask found{};
    for (int k = 0; k < kVectors; k++) {
      const auto there = L::load(x + i + k * L::kCount);
      found |= value == value ? there == all : there != there;
    }
    if (L::any(found)) break;
  }
  while (value == value ? x[i] != value : x[i] == x[i]) i++;
  return i;
}

template <class Op, class E> long best_of_run(const E* x, long n) { return place_of(best_value<Op>(x, n), x, n); }

// Does a later element take the place of `top`?
template <class Op, class E> bool beats(E value, E top) {
  return Op::better(value, top) || (value != value && top == top);
}

// The place of the best of a long x (n): blocks in parallel, then the blocks in order.
template <class Op, class E> long best_of_row(const E* x, long n) {
  constexpr long kMostBlocks = 64;
  const long block = std::max(kElementGrain, ceil_div(n, kMostBlocks)), blocks = ceil_div(n, block);
  if (blocks == 1) return best_of_run<Op>(x, n);
  long places[kMostBlocks];
  parallel_for(blocks, 1, [&](long begin, long end) {
    for (long b = begin; b < end; b++)
      places[b] = b * block + best_of_run<Op>(x + b * block, std::min(block, n - b * block));
  });
  long best = places[0];
  for (long b = 1; b < blocks; b++)
    if (beats<Op>(x[places[b]], x[best])) best = places[b];
  return best;
}

// y, indices (width) of x (count, width), whose rows are `row` apart
template <class Op, class E>
void best_of_columns(E* __restrict y, int64_t* __restrict indices, const E* __restrict x, long count, long width,
                     long row) {
  for (long j = 0; j < width; j++) y[j] = x[j], indices[j] = 0;
  for (long i = 1; i < count; i++)
    for (long j = 0; j < width; j++) {
      const E value = x[i * row + j];
      const bool wins = beats<Op>(value, y[j]);
      y[j] = wins ? value : y[j];
      indices[j] = wins ? i : indices[j];
    }
}

// x (outer, count, inner); y, indices (outer, inner)
template <class Op, class E> void best_cpu(E* y, int64_t* indices, const E* x, long outer, long count, long inner) {
  constexpr long kWidth = 64;
  const long parts = ceil_div(inner, kWidth);
  const auto run = [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      if (inner == 1) {
        indices[task] = best_of_row<Op>(x + task * count, count);
        y[task] = x[task * count + indices[task]];
        continue;
      }
      const long o = task / parts, first = task % parts * kWidth, at = o * inner + first;
      best_of_columns<Op>(y + at, indices + at, x + o * count * inner + first, count, std::min(kWidth, inner - first),
                          inner);
    }
  };
  if (outer * parts == 1) return run(0, 1);  // not inside of a piece: best_of_row cuts further
  parallel_for(outer * parts, rows_grain(count * std::min(inner, kWidth)), run);
}

const OnCpu reduce_best{[]<class E>(auto set) {
  set(kernels::max_rows<E>, best_cpu<Max, E>);
  set(kernels::min_rows<E>, best_cpu<Min, E>);
}};

}  // namespace
}  // namespace heed
