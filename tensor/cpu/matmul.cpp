// Products as panels of single-threaded BLAS in our pool; those that it serves badly have kernels of their own. How a
// product is cut depends on its shape only: one product and its two halves can differ in their last bits, so the cut
// must not follow the number of threads.
#include "tensor/ops/matmul.h"

#include <algorithm>

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
  const long panels = 2 * ((side + 2 * longest - 1) / (2 * longest));
  return ((side + panels - 1) / panels + step - 1) / step * step;
}

template <class E> long workspace_bytes(const MatmulLayout& s) {  // 0: not for large_matmul
  return std::is_same_v<E, float> && is_large_matmul(s) ? large_matmul_workspace_bytes(s) : 0;
}

template <class E>
void matmul_cpu(E* c, const E* a, const E* b, const E* bias, const MatmulLayout& s, void* workspace) {
  if constexpr (std::is_same_v<E, float>)
    if (workspace) return large_matmul(c, a, b, bias, s, workspace);
  check_blas("matmul");  // here an exception can still be caught
  const long batches = s.batch.numel(), work = s.m * s.n * s.k;
  const bool few = few_rows(s), by_rows = !few && s.m >= s.n;
  const long side = by_rows ? s.m : s.n, panel = panel_of(s, batches), panels = (side + panel - 1) / panel;
  const long grain = std::max(1L, small_task(s) / std::max(1L, work / panels));
  parallel_for(batches * panels, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      long batch = task / panels, first = task % panels * panel, n = std::min(panel, side - first);
      const E *pa = a, *pb = b;
      E* pc = c + batch * s.m * s.n;
      for (long i = s.batch.dims() - 1, rest = batch; i >= 0; rest /= s.batch[i], i--) {
        pa += rest % s.batch[i] * s.a_batch[i];
        pb += rest % s.batch[i] * s.b_batch[i];
      }
      if (by_rows)
        pa += first * (s.a_transposed ? 1 : s.a_row), pc += first * s.n;
      else
        pb += first * (s.b_transposed ? s.b_row : 1), pc += first;
      if (few)
        small_matmul(pc, s.n, pa, s.a_transposed ? 1 : s.a_row, s.a_transposed ? s.a_row : 1, pb, s.b_row, s.m, n, s.k);
      else
        gemm(pc, s.n, pa, s.a_row, s.a_transposed, pb, s.b_row, s.b_transposed, by_rows ? n : s.m, by_rows ? s.n : n,
             s.k);
      for (long i = 0; bias && i < (by_rows ? n : s.m); i++)
        add_row(pc + i * s.n, bias + (by_rows ? 0 : first), by_rows ? s.n : n);
    }
  });
}

const OnCpu matmul{[]<class E>(auto set) {
  set(kernels::matmul_workspace_bytes<E>, workspace_bytes<E>);
  set(kernels::matmul<E>, matmul_cpu<E>);
}};

}  // namespace
}  // namespace heed
