#include "tensor/ops/triangular.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

Tensor triangle(const char* op, const Tensor& x, long diagonal, bool lower) {
  check_defined(op, x);
  HEED_CHECK(x.dims() >= 2, op, "x is ", x.shape(), "; it must be a matrix (rows, cols) or a batch of them");
  const long rows = x.size(-2), cols = x.size(-1);
  Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
  if (x.numel() == 0) return y;
  const TriangularSizes s{x.numel() / (rows * cols), rows, cols, size_of(x.dtype())};
  visit(x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::triangular(x.device())(y.mutable_data<E>(), in.data<E>(), s, std::clamp(diagonal, -rows, cols), lower);
  });
  return y;
}

}  // namespace

Tensor tril(const Tensor& x, long diagonal) { return triangle("tril", x, diagonal, true); }
Tensor triu(const Tensor& x, long diagonal) { return triangle("triu", x, diagonal, false); }

Tensor triangular_mask(long T, long S, long diagonal, Device device) {
  HEED_CHECK(T >= 0 && S >= 0, "triangular_mask", "T is ", T, " and S is ", S, "; both must be 0 or more");
  return tril(ones({T, S}, boolean, device), S - T + std::clamp(diagonal, -S, T));  // beyond these nothing changes
}

}  // namespace heed
