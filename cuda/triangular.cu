// The lower or upper triangle of matrices of any type: a thread per element copies it, or writes zero bits.
#include "tensor/ops/triangular.h"

#include "cuda/move.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// y, x (matrices, rows, cols)
template <class Bits>
void triangular_bits(void* to, const void* from, const TriangularSizes& s, long diagonal, bool lower) {
  auto* y = static_cast<Bits*>(to);
  auto* x = static_cast<const Bits*>(from);
  const long rows = s.rows, cols = s.cols;
  for_elements("triangular", s.matrices * rows * cols, [=] __device__(long e) {
    const long right = e % cols - e / cols % rows;  // of the diagonal
    y[e] = (lower ? right <= diagonal : right >= diagonal) ? x[e] : Bits(0);
  });
}

void triangular(void* y, const void* x, const TriangularSizes& s, long diagonal, bool lower) {
  visit_bits(s.bytes, [&](auto tag) { triangular_bits<decltype(tag)>(y, x, s, diagonal, lower); });
}

const OnCuda triangular_kernel{[](auto set) { set(kernels::triangular, triangular); }};

}  // namespace
}  // namespace heed::cuda
