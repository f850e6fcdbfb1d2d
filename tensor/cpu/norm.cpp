// Sums of squares for the norm of a gradient: in double, block by block; the door adds the blocks' sums in order.
#include "tensor/ops/norm.h"

#include "system/ceil_div.h"
#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// x (n)
template <class E> double sum_of_squares(const E* x, long n) {
  return lane_sum<double>(n, [x](long i) { return double(x[i]) * double(x[i]); });
}

// partial (blocks of n), x (n). A block's sum depends on its elements only, so any number of threads gives the same.
template <class E> void sums_of_squares_cpu(double* partial, const E* x, long n) {
  const long blocks = ceil_div(n, kSquaresBlock);
  parallel_for(blocks, rows_grain(kSquaresBlock), [&](long begin, long end) {
    for (long b = begin; b < end; b++)
      partial[b] = sum_of_squares(x + b * kSquaresBlock, std::min(kSquaresBlock, n - b * kSquaresBlock));
  });
}

const OnCpu norm{[]<class E>(auto set) { set(kernels::sums_of_squares<E>, sums_of_squares_cpu<E>); }};

}  // namespace
}  // namespace heed
