// The fast Walsh-Hadamard transform: log2(n) rounds of additions and subtractions over a row, in place.
#include "tensor/ops/hadamard.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// In place: H_2n = (H_n  H_n; H_n  -H_n), so each round adds and subtracts neighbours at twice the distance.
template <class E> void transform_row(E* y, long n) {
  for (long half = 1; half < n; half *= 2)
    for (long block = 0; block < n; block += 2 * half) {
      E *a = y + block, *b = a + half;
      for (long j = 0; j < half; j++) {
        const E sum = a[j] + b[j], difference = a[j] - b[j];
        a[j] = sum;
        b[j] = difference;
      }
    }
  const E scale = E(1 / std::sqrt(double(n)));
  for (long j = 0; j < n; j++) y[j] *= scale;
}

// y, x (rows, n)
template <class E> void walsh_hadamard_cpu(E* y, const E* x, long rows, long n) {
  const long work = std::max(1L, n * long(std::bit_width(size_t(n))));  // additions in a row
  parallel_for(rows, rows_grain(work), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      std::copy_n(x + i * n, n, y + i * n);
      transform_row(y + i * n, n);
    }
  });
}

const OnCpu hadamard{[]<class E>(auto set) { set(kernels::walsh_hadamard<E>, walsh_hadamard_cpu<E>); }};

}  // namespace
}  // namespace heed
