// Sums over the rows of x (outer, count, inner), in memory or computed on the way, such as the gradient of a bias. A
// block takes a stripe of columns and a slab of rows. Its threads are `width` columns times some walkers, which take
// turns with the rows. If there are several slabs, their sums go to a workspace, and a second kernel adds them up. How
// it is cut depends on the sizes only, so the order of every sum is fixed.
#pragma once

#include <algorithm>

#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {

constexpr int power_of_two(long n, int most) {  // the first one that is not below n
  int power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

struct Columns {
  static constexpr long kBlocks = 1024;  // are enough to keep a GPU busy
  static constexpr long kTurns = 16;     // a walker has at least so many rows of a slab

  long outer, count, inner;
  int width, threads;         // of a block: 32 columns are 128 bytes of a row of floats
  long stripes, slab, slabs;  // stripes of a row, rows of a slab, slabs of `count`

  Columns(long outer, long count, long inner, long most_slabs = kBlocks, int widest = 32)
      : outer(outer),
        count(count),
        inner(inner),
        width(power_of_two(inner, widest)),
        threads(power_of_two(std::max(32L, std::min(count, long(kThreads)) * width), kThreads)),
        stripes(ceil_div(inner, width)) {
    const long useful = ceil_div(count, kTurns * (threads / width)), wanted = kBlocks / std::max(1L, outer * stripes);
    slab = ceil_div(std::max(1L, count), std::clamp(std::min(useful, wanted), 1L, most_slabs));
    slabs = std::max(1L, ceil_div(count, slab));
  }
  long partials() const { return slabs > 1 ? outer * slabs * inner : 0; }  // numbers in the workspace
};

// The sum of term(row) over begin <= row < end, of this thread's column, threadIdx.x % width
template <class Sum, class Term> __device__ Sum sum_of_column(long begin, long end, int width, const Term& term) {
  Sum sum{};
  for (long row = begin + threadIdx.x / unsigned(width); row < end; row += blockDim.x / unsigned(width))
    sum = sum + term(row);
  return over_columns(sum, width, Plus());
}

template <class Sum, class Term, class Put> struct SumOfSlab {
  Columns s;
  Sum* partial;  // (outer, slabs, inner); null if there is one slab only
  Term term;
  Put put;

  __device__ void operator()(long task) const {
    const long slab_of_all = task / s.stripes, o = slab_of_all / s.slabs, first = slab_of_all % s.slabs * s.slab;
    const long c = task % s.stripes * s.width + threadIdx.x % unsigned(s.width),
               last = std::min(first + s.slab, s.count);
    const Sum sum = sum_of_column<Sum>(first, c < s.inner ? last : first, s.width,
                                       [&](long row) { return term(o * s.count + row, c); });
    if (c >= s.inner || int(threadIdx.x) >= s.width) return;
    if (partial)
      partial[slab_of_all * s.inner + c] = sum;
    else
      put(o * s.inner + c, sum);
  }
};

template <class Sum> struct Partial {
  const Sum* of;
  long inner;
  __device__ Sum operator()(long row, long c) const { return of[row * inner + c]; }
};

// What to do with a sum, if it is a number that is wanted.
template <class E> struct Store {
  E* y;
  __device__ void operator()(long at, E sum) const {
    if (y) y[at] = sum;
  }
};

// put(o * inner + c, sum of term(row, c) over the rows of o), where row counts from 0 to outer * count. The workspace
// has s.partials() numbers. It is null if only what term does on the way is wanted: put is given sums of slabs then.
template <class Sum, class Term, class Put>
void sum_columns(const char* op, const Columns& s, const Term& term, const Put& put, void* workspace) {
  Sum* partial = s.slabs > 1 ? static_cast<Sum*>(workspace) : nullptr;
  for_rows(op, s.outer * s.slabs * s.stripes, s.threads, SumOfSlab<Sum, Term, Put>{s, partial, term, put});
  if (!partial) return;
  const Columns rest(s.outer, s.slabs, s.inner, 1);
  using Last = SumOfSlab<Sum, Partial<Sum>, Put>;
  for_rows(op, rest.outer * rest.stripes, rest.threads, Last{rest, nullptr, {partial, s.inner}, put});
}

}  // namespace heed::cuda
