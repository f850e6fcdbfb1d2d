// Sums. Short ones are added up by one thread each, the others by blocks: see column_sums.cuh. Maxima and minima are in
// reduce_best.cu.
#include "tensor/ops/reduce.h"

#include "cuda/column_sums.cuh"

namespace heed::cuda {
namespace {

constexpr long kShort = 16;  // so many elements are not worth a block

template <class E> long workspace(long outer, long count, long inner) {
  return count <= kShort ? 0 : Columns(outer, count, inner).partials() * long(sizeof(E));
}

template <class E> struct Element {
  const E* x;
  long inner;
  __device__ E operator()(long row, long c) const { return x[row * inner + c]; }
};

// y (outer, inner) = sum of x (outer, count, inner) over its middle axis
template <class E> void sum_rows(E* y, const E* x, long outer, long count, long inner, void* workspace) {
  if (count > kShort)
    return sum_columns<E>("sum", Columns(outer, count, inner), Element<E>{x, inner}, Store<E>{y}, workspace);
  for_elements("sum", outer * inner, [=] __device__(long e) {
    const E* from = x + (inner == 1 ? e * count : e / inner * count * inner + e % inner);
    E sum = 0;
    for (long i = 0; i < count; i++) sum += from[i * inner];
    y[e] = sum;
  });
}

// dx (outer, count, inner), zeros before; dy, indices (outer, inner): dy goes to where the maximum stood
template <class E>
void max_rows_backward(E* dx, const E* dy, const int64_t* indices, long outer, long count, long inner) {
  for_elements("max", outer * inner, [=] __device__(long e) {
    const long o = inner == 1 ? e : e / inner;
    dx[(o * count + indices[e]) * inner + (e - o * inner)] = dy[e];
  });
}

const OnCuda reduce{[]<class E>(auto set) {
  set(kernels::sum_workspace_bytes<E>, workspace<E>);
  set(kernels::sum_rows<E>, sum_rows<E>);
  set(kernels::max_rows_backward<E>, max_rows_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
