#include "tensor/ops/dropout.h"

#include <cmath>

#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

// x's sizes as (samples, tokens, channels).
Shape drawn_as(const Shape& shape) {
  Shape three = Shape::filled(3, 1);
  for (int i = 0; i < shape.dims(); i++) three[i == 0 ? 0 : i + 1 == shape.dims() ? 2 : 1] *= shape[i];
  return three;
}

void check_dropout(const Tensor& x, double p) {
  check_defined("dropout", x);
  HEED_CHECK(p >= 0 && p < 1, "dropout", "p is ", p, "; the rule is 0 <= p < 1");
}

}  // namespace

Tensor dropout(const Tensor& x, double p, const RandomKey& key) {
  check_dropout(x, p);
  return visit_maths("dropout", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Shape s = drawn_as(x.shape());
    Tensor in = contiguous(x), y = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::dropout<E>(x.device())(y.mutable_data<E>(), in.data<E>(), {s[0], s[1], s[2], key, keep_threshold(p)},
                                    E(1 / (1 - p)));
    return y;
  });
}

Tensor dropout_reference(const Tensor& x, double p, const RandomKey& key) {
  check_dropout(x, p);
  const Tensor keep = reshape(keep_mask(drawn_as(x.shape()), key, p, x.device()), x.shape());
  return masked_fill(x * (1 / (1 - p)), logical_not(keep), 0);
}

}  // namespace heed
