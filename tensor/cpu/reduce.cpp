// Sums, maxima and minima. A long sum is cut into blocks of a size that depends on the shape only; the blocks' results
// are added in order, so the bits are the same for any number of threads (and the rounding error stays small).
#include "tensor/reduce.h"

#include "tensor/cpu/lane_sum.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// How many of `count` elements one block takes.
long block_of(long inner) { return std::max(16L, 8192 / inner); }
long blocks_of(long count, long inner) {
  return inner ? std::max(1L, (count + block_of(inner) - 1) / block_of(inner)) : 1;
}

template <class T> T sum_row(const T* x, long n) {
  return lane_sum<T>(n, [&](long i) { return x[i]; });
}

// y (inner) = sum of x (count, inner) over its rows
template <class T> void sum_columns(T* y, const T* x, long count, long inner) {
  std::fill_n(y, inner, T(0));
  for (long i = 0; i < count; i++)
    for (long j = 0; j < inner; j++) y[j] += x[i * inner + j];
}

template <class T> long sum_workspace_cpu(long outer, long count, long inner) {
  long blocks = blocks_of(count, inner);
  return blocks > 1 ? outer * blocks * inner * long(sizeof(T)) : 0;
}

template <class T> void sum_rows_cpu(T* y, const T* x, long outer, long count, long inner, void* workspace) {
  const long block = block_of(std::max(inner, 1L)), blocks = blocks_of(count, inner);
  T* partial = blocks > 1 ? static_cast<T*>(workspace) : y;  // (outer, blocks, inner)
  const long grain = rows_grain(std::min(count, block) * inner);
  parallel_for(outer * blocks, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      long first = task % blocks * block, n = std::min(block, count - first);
      const T* from = x + (task / blocks * count + first) * inner;
      if (inner == 1)
        partial[task] = sum_row(from, n);
      else
        sum_columns(partial + task * inner, from, n, inner);
    }
  });
  if (blocks == 1) return;
  for (long o = 0; o < outer; o++) {
    if (inner == 1)
      y[o] = sum_row(partial + o * blocks, blocks);
    else
      sum_columns(y + o * inner, partial + o * blocks * inner, blocks, inner);
  }
}

// better(a, b): does a beat b? NaN beats all, the first one.
template <class T, class Better>
void best_rows(T* y, int64_t* indices, const T* x, long outer, long count, long inner, Better better) {
  parallel_for(outer * inner, rows_grain(count), [&](long begin, long end) {
    for (long e = begin; e < end; e++) {
      const T* row = x + e / inner * count * inner + e % inner;
      long best = 0;
      for (long i = 1; i < count; i++) {
        T value = row[i * inner], top = row[best * inner];
        if (better(value, top) || (value != value && top == top)) best = i;
      }
      y[e] = row[best * inner];
      indices[e] = best;
    }
  });
}

template <class T> void max_rows_cpu(T* y, int64_t* indices, const T* x, long outer, long count, long inner) {
  best_rows(y, indices, x, outer, count, inner, [](T a, T b) { return a > b; });
}

template <class T> void min_rows_cpu(T* y, int64_t* indices, const T* x, long outer, long count, long inner) {
  best_rows(y, indices, x, outer, count, inner, [](T a, T b) { return a < b; });
}

template <class T>
void max_rows_backward_cpu(T* dx, const T* dy, const int64_t* indices, long outer, long count, long inner) {
  parallel_for(outer * inner, kElementGrain, [&](long begin, long end) {
    for (long e = begin; e < end; e++) dx[(e / inner * count + indices[e]) * inner + e % inner] = dy[e];
  });
}

template <class T> void register_all() {
  kernels::sum_workspace_bytes<T>.set(Backend::cpu, sum_workspace_cpu<T>);
  kernels::sum_rows<T>.set(Backend::cpu, sum_rows_cpu<T>);
  kernels::max_rows<T>.set(Backend::cpu, max_rows_cpu<T>);
  kernels::min_rows<T>.set(Backend::cpu, min_rows_cpu<T>);
  kernels::max_rows_backward<T>.set(Backend::cpu, max_rows_backward_cpu<T>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
