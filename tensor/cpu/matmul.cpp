// Products as panels of single-threaded BLAS in our pool. How a product is cut depends on its shape only: one product
// and its two halves can differ in their last bits, so the cut must not follow the number of threads.
#include "tensor/matmul.h"

#include <algorithm>

#include "tensor/cpu/blas.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

constexpr long kSmall = 1 << 17;  // multiplications below which handing a task to another thread does not pay

// Length of a panel along the longer side of the output: long enough that BLAS stays near its peak.
long panel_of(long side, long batches, long work) {
  if (side >= 2048) return 512;
  if (batches >= 8 || work < 2 * kSmall) return side;
  if (side >= 512) return 256;
  return std::max(32L, (side / 2 + 31) / 32 * 32);  // two halves
}

template <class T> void matmul_cpu(T* c, const T* a, const T* b, const MatmulLayout& s) {
  const long batches = s.batch.numel(), work = s.m * s.n * s.k;
  const bool by_rows = s.m >= s.n;
  const long side = by_rows ? s.m : s.n, panel = panel_of(side, batches, work), panels = (side + panel - 1) / panel;
  const long grain = std::max(1L, kSmall / std::max(1L, work / panels));
  parallel_for(batches * panels, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      long batch = task / panels, first = task % panels * panel, n = std::min(panel, side - first);
      const T *pa = a, *pb = b;
      T* pc = c + batch * s.m * s.n;
      for (long i = s.batch.dims() - 1, rest = batch; i >= 0; rest /= s.batch[i], i--) {
        pa += rest % s.batch[i] * s.a_batch[i];
        pb += rest % s.batch[i] * s.b_batch[i];
      }
      if (by_rows)
        pa += first * (s.a_transposed ? 1 : s.a_row), pc += first * s.n;
      else
        pb += first * (s.b_transposed ? s.b_row : 1), pc += first;
      gemm(pc, s.n, pa, s.a_row, s.a_transposed, pb, s.b_row, s.b_transposed, by_rows ? n : s.m, by_rows ? s.n : n,
           s.k);
    }
  });
}

const Registered matmul_f32{kernels::matmul<float>, Backend::cpu, matmul_cpu<float>};
const Registered matmul_f64{kernels::matmul<double>, Backend::cpu, matmul_cpu<double>};

}  // namespace
}  // namespace heed
