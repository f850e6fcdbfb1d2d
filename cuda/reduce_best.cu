// Maxima and minima with their places. Of equal elements the first counts, and NaN beats all: with these rules the
// result does not depend on the order. A block takes a stripe of columns, as for sums (column_sums.cuh); short ones are
// looked at by one thread.
#include "cuda/column_sums.cuh"
#include "tensor/ops/reduce.h"

namespace heed::cuda {
namespace {

struct Max {
  template <class E> static __device__ bool better(E a, E b) { return a > b; }
};
struct Min {
  template <class E> static __device__ bool better(E a, E b) { return a < b; }
};

template <class E> struct Candidate {
  E value;
  long place;
};

template <class Op> struct Winner {
  template <class E> static __device__ bool wins(const Candidate<E>& a, const Candidate<E>& b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan;
    return Op::better(a.value, b.value) || ((a_nan || a.value == b.value) && a.place < b.place);
  }
  template <class E> __device__ Candidate<E> operator()(const Candidate<E>& a, const Candidate<E>& b) const {
    return wins(a, b) ? a : b;
  }
};

// The winner among the places first, first + step, ... of a column, whose elements are `inner` apart
template <class Op, class E>
__device__ Candidate<E> best_of(const E* column, long first, long count, long step, long inner) {
  Candidate<E> best{column[0], 0};
  for (long i = first; i < count; i += step) best = Winner<Op>()(best, Candidate<E>{column[i * inner], i});
  return best;
}

// x (outer, count, inner); y, indices (outer, inner)
template <class Op, class E> struct BestOfColumns {
  E* y;
  int64_t* indices;
  const E* x;
  Columns s;

  __device__ void operator()(long task) const {
    const long o = task / s.stripes, c = (task - o * s.stripes) * s.width + threadIdx.x % unsigned(s.width);
    const E* column = x + o * s.count * s.inner + std::min(c, s.inner - 1);  // beyond the last one: looked at in vain
    const unsigned width = unsigned(s.width);
    const Candidate<E> best = over_columns(
        best_of<Op>(column, threadIdx.x / width, s.count, blockDim.x / width, s.inner), s.width, Winner<Op>());
    if (c >= s.inner || threadIdx.x >= width) return;
    y[o * s.inner + c] = best.value;
    indices[o * s.inner + c] = best.place;
  }
};

template <class Op, class E>
void best_rows(const char* op, E* y, int64_t* indices, const E* x, long outer, long count, long inner) {
  constexpr long kShort = 16, kFewStripes = 64;
  if (count > kShort) {
    const Columns s(outer, count, inner, 1, outer * ceil_div(inner, 32) < kFewStripes ? 8 : 32);
    return for_rows(op, outer * s.stripes, s.threads, BestOfColumns<Op, E>{y, indices, x, s});
  }
  for_elements(op, outer * inner, [=] __device__(long e) {
    const long o = inner == 1 ? e : e / inner;
    const Candidate<E> best = best_of<Op>(x + o * count * inner + (e - o * inner), 1, count, 1, inner);
    y[e] = best.value;
    indices[e] = best.place;
  });
}

template <class E> void max_rows(E* y, int64_t* indices, const E* x, long outer, long count, long inner) {
  best_rows<Max>("max", y, indices, x, outer, count, inner);
}
template <class E> void min_rows(E* y, int64_t* indices, const E* x, long outer, long count, long inner) {
  best_rows<Min>("min", y, indices, x, outer, count, inner);
}

const OnCuda reduce_best{[]<class E>(auto set) {
  set(kernels::max_rows<E>, max_rows<E>);
  set(kernels::min_rows<E>, min_rows<E>);
}};

}  // namespace
}  // namespace heed::cuda
