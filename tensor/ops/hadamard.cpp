#include "tensor/ops/hadamard.h"

#include <bit>
#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/matmul.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_hadamard(const Tensor& x) {
  check_defined("walsh_hadamard", x);
  const long n = x.shape()[axis_of("walsh_hadamard", -1, x.shape())];
  HEED_CHECK(n == 0 || std::has_single_bit(size_t(n)), "walsh_hadamard", "x is ", x.shape(), "; its last size ", n,
             " must be a power of two. Did you mean to fill it up with zeros to ", std::bit_ceil(size_t(n)), "?");
}

}  // namespace

Tensor walsh_hadamard(const Tensor& x) {
  check_hadamard(x);
  return visit_maths("walsh_hadamard", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    const long n = x.size(-1), rows = n ? x.numel() / n : 0;
    kernels::walsh_hadamard<E>(x.device())(y.mutable_data<E>(), in.data<E>(), rows, n);
    return y;
  });
}

Tensor walsh_hadamard_reference(const Tensor& x) {
  check_hadamard(x);
  const long n = x.size(-1);
  std::vector<double> h;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) h.push_back((std::popcount(size_t(i & j)) % 2 ? -1 : 1) / std::sqrt(double(n)));
  Tensor y = matmul(reshape(x, {n ? x.numel() / n : 0, n}), cast(from_vector(h, {n, n}), x.dtype()));
  return reshape(y, x.shape());
}

}  // namespace heed
