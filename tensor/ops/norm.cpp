#include "tensor/ops/norm.h"

#include <cmath>

#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"

namespace heed {

double norm(const Tensor& x) {
  check_defined("norm", x);
  return visit_maths("norm", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Tensor in = contiguous(x);
    const Tensor partial = Tensor::empty({ceil_div(x.numel(), kSquaresBlock)}, f64, x.device());
    kernels::sums_of_squares<E>(x.device())(partial.mutable_data<double>(), in.data<E>(), x.numel());
    return std::sqrt(sum(partial).item());
  });
}

double norm_reference(const Tensor& x) {
  check_defined("norm", x);
  if (!is_maths(x.dtype())) fail_not_maths("norm", x.dtype());
  return std::sqrt(sum(square(cast(x, f64))).item());
}

}  // namespace heed
