// The lower or upper triangle of matrices of any type: of every row one run is copied, the rest is zero bytes.
#include "tensor/ops/triangular.h"

#include <cstring>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// y, x (matrices, rows, cols): a row of x up to the diagonal, or from it on, and zeros
void triangular_cpu(void* y, const void* x, const TriangularSizes& s, long diagonal, bool lower) {
  parallel_for(s.matrices * s.rows, rows_grain(s.cols), [&](long begin, long end) {
    for (long r = begin; r < end; r++) {
      const long i = r % s.rows, at = r * s.cols;
      const long first = lower ? 0 : std::clamp(i + diagonal, 0L, s.cols);  // kept: [first, last)
      const long last = lower ? std::clamp(i + diagonal + 1, 0L, s.cols) : s.cols;
      char* to = static_cast<char*>(y) + at * s.bytes;
      const char* from = static_cast<const char*>(x) + at * s.bytes;
      std::memset(to, 0, size_t(first * s.bytes));
      std::memcpy(to + first * s.bytes, from + first * s.bytes, size_t((last - first) * s.bytes));
      std::memset(to + last * s.bytes, 0, size_t((s.cols - last) * s.bytes));
    }
  });
}

const OnCpu triangular{[](auto set) { set(kernels::triangular, triangular_cpu); }};

}  // namespace
}  // namespace heed
