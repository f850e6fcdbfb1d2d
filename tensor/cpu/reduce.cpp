// Sums; maxima and minima are in reduce_best.cpp. A long sum is cut into blocks of a size that depends on the shape
// only; the blocks' results are added in order, so the bits are the same for any number of threads (and the rounding
// error stays small).
#include "tensor/ops/reduce.h"

#include "system/ceil_div.h"
#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// How many of `count` elements one block takes.
long block_of(long inner) { return std::max(64L, 8192 / inner); }
long blocks_of(long count, long inner) { return inner ? std::max(1L, ceil_div(count, block_of(inner))) : 1; }

// x (n)
template <class E> E sum_row(const E* x, long n) {
  return lane_sum<E>(n, [&](long i) { return x[i]; });
}

// y (width) = sum over the rows of x (count, width), whose rows are `row` apart. Four rows at a time: y is read and
// written less often, and its additions are fewer.
template <class E> void sum_columns(E* __restrict y, const E* __restrict x, long count, long width, long row) {
  std::fill_n(y, width, E(0));
  long i = 0;
  for (; i + 4 <= count; i += 4) {
    const E *a = x + i * row, *b = a + row, *c = b + row, *d = c + row;
    for (long j = 0; j < width; j++) y[j] += (a[j] + b[j]) + (c[j] + d[j]);
  }
  for (; i < count; i++)
    for (long j = 0; j < width; j++) y[j] += x[i * row + j];
}

// y (outer, inner) = sum of partial (outer, blocks, inner) over the blocks
template <class E> void sum_blocks(E* y, const E* partial, long outer, long blocks, long inner) {
  if (inner == 1) {
    for (long o = 0; o < outer; o++) y[o] = sum_row(partial + o * blocks, blocks);
    return;
  }
  constexpr long kWidth = 256;
  const long parts = ceil_div(inner, kWidth);
  parallel_for(outer * parts, rows_grain(blocks * std::min(inner, kWidth)), [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long o = task / parts, first = task % parts * kWidth;
      sum_columns(y + o * inner + first, partial + o * blocks * inner + first, blocks, std::min(kWidth, inner - first),
                  inner);
    }
  });
}

template <class E> long sum_workspace_cpu(long outer, long count, long inner) {
  long blocks = blocks_of(count, inner);
  return blocks > 1 ? outer * blocks * inner * long(sizeof(E)) : 0;
}

// y (outer, inner) = sum of x (outer, count, inner) over its middle axis; workspace (outer, blocks, inner)
template <class E> void sum_rows_cpu(E* y, const E* x, long outer, long count, long inner, void* workspace) {
  const long block = block_of(std::max(inner, 1L)), blocks = blocks_of(count, inner);
  E* partial = blocks > 1 ? static_cast<E*>(workspace) : y;  // (outer, blocks, inner)
  const long grain = rows_grain(std::min(count, block) * inner);
  parallel_for(outer * blocks, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      long first = task % blocks * block, n = std::min(block, count - first);
      const E* from = x + (task / blocks * count + first) * inner;
      if (inner == 1)
        partial[task] = sum_row(from, n);
      else
        sum_columns(partial + task * inner, from, n, inner, inner);
    }
  });
  if (blocks > 1) sum_blocks(y, partial, outer, blocks, inner);
}

// dx (outer, count, inner), zeros before; dy, indices (outer, inner): dy goes to where the maximum stood
template <class E>
void max_rows_backward_cpu(E* dx, const E* dy, const int64_t* indices, long outer, long count, long inner) {
  parallel_for(outer * inner, kElementGrain, [&](long begin, long end) {
    for (long e = begin; e < end; e++) dx[(e / inner * count + indices[e]) * inner + e % inner] = dy[e];
  });
}

const OnCpu reduce{[]<class E>(auto set) {
  set(kernels::sum_workspace_bytes<E>, sum_workspace_cpu<E>);
  set(kernels::sum_rows<E>, sum_rows_cpu<E>);
  set(kernels::max_rows_backward<E>, max_rows_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
