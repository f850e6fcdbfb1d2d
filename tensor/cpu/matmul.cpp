// Products as panels of single-threaded BLAS in our pool; those that it serves badly have kernels of their own. How a
// product is cut depends on its shape only: one product and its two halves can differ in their last bits, so the cut
// must not follow the number of threads.
#include "tensor/ops/matmul.h"

#include <algorithm>

#include "system/ceil_div.h"
#include "tensor/cpu/products/blas.h"
#include "tensor/cpu/products/large_matmul.h"
#include "tensor/cpu/products/small_matmul.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// Does BLAS serve this badly? See small_matmul.h.
bool few_rows(const MatmulLayout& s) { return s.m <= kFewRows && s.b_transposed; }

// Multiplications below which handing a task to another thread does not pay. With few rows they wait for b to arrive
// from memory, so that it pays earlier.
long small_task(const MatmulLayout& s) { return few_rows(s) ? 1 << 14 : 1 << 17; }

// Length of a panel along the longer side of the output (along the columns if there are few rows): long enough that
// BLAS stays near its peak, and an even number of them, so that two threads end together.
long panel_of(const MatmulLayout& s, long batches) {
  const bool few = few_rows(s);
  const long longest = few ? 256 : 384, step = few ? 16 : 32;
  const long side = few ? s.n : std::max(s.m, s.n), work = s.m * s.n * s.k;
  const bool whole = batches >= 8 || work < 2 * small_task(s);
  if (whole && side < 2048) return side;
  const long panels = 2 * ceil_div(side, 2 * longest);
  return ceil_div(ceil_div(side, panels), step) * step;
}

template <class E> long workspace_bytes(const MatmulLayout& s) {  // 0: not for large_matmul
  return std::is_same_v<E, float> && is_large_matmul(s) ? large_matmul_workspace_bytes(s) : 0;
}

// Matrix `batch` of c, a and b.
template <class E> struct Product {
  MatrixView<E> c;           // (m, n)
  MatrixView<const E> a, b;  // (m, k), (k, n)
  Product(E* first_c, const E* first_a, const E* first_b, const MatmulLayout& s, long batch)
      : c{first_c + batch * s.m * s.n, s.m, s.n, s.n, 1}, a(left_of(first_a, s)), b(right_of(first_b, s)) {
    for (long i = s.batch.dims() - 1, rest = batch; i >= 0; rest /= s.batch[i], i--) {
      a.data += rest % s.batch[i] * s.a_batch[i];
      b.data += rest % s.batch[i] * s.b_batch[i];
    }
  }
};

// c (batch, m, n) = a (batch, m, k) b (batch, k, n), and the bias (n) added to every row unless it is null
template <class E>
void matmul_cpu(E* c, const E* a, const E* b, const E* bias, const MatmulLayout& s, void* workspace) {
  if constexpr (std::is_same_v<E, float>)
    if (workspace) return large_matmul(c, a, b, bias, s, workspace);
  check_blas("matmul");  // here an exception can still be caught
  const long batches = s.batch.numel(), work = s.m * s.n * s.k;
  const bool few = few_rows(s), by_rows = !few && s.m >= s.n;
  const long side = by_rows ? s.m : s.n, panel = panel_of(s, batches), panels = ceil_div(side, panel);
  const long grain = std::max(1L, small_task(s) / std::max(1L, work / panels));
  parallel_for(batches * panels, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long first = task % panels * panel, count = std::min(panel, side - first);
      Product<E> one(c, a, b, s, task / panels);
      one.c = by_rows ? one.c.some_rows(first, count) : one.c.some_columns(first, count);
      if (by_rows)
        one.a = one.a.some_rows(first, count);
      else
        one.b = one.b.some_columns(first, count);
      if (few)
        small_matmul(one.c, one.a, one.b);
      else
        gemm(one.c, one.a, one.b);
      for (long i = 0; bias && i < one.c.rows; i++) add_row(&one.c(i, 0), bias + (by_rows ? 0 : first), one.c.columns);
    }
  });
}

const OnCpu matmul{[]<class E>(auto set) {
  set(kernels::matmul_workspace_bytes<E>, workspace_bytes<E>);
  set(kernels::matmul<E>, matmul_cpu<E>);
}};

}  // namespace
}  // namespace heed
