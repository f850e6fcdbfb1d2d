#include "tensor/rotary.h"

#include <cmath>
#include <cstdlib>

#include "tensor/concatenate.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_rotary(const Tensor& x, const RotaryOptions& options) {
  check_defined("rotary", x);
  HEED_CHECK(x.dims() >= 2, "rotary", "x is ", x.shape(), "; it must be (..., T, D). Did you mean unsqueeze(x, 0)?");
  HEED_CHECK(x.size(-1) % 2 == 0, "rotary", "x is ", x.shape(), "; its last size ", x.size(-1),
             " must be even: channels are turned in pairs");
  HEED_CHECK(options.base > 0, "rotary", "the base is ", options.base, "; it must be above 0");
}

RotaryLayout layout_of(const Tensor& x, bool interleaved) {
  RotaryLayout layout{x.shape(), x.strides(), x.size(-1), interleaved};
  layout.sizes.erase(x.dims() - 1);
  layout.strides.erase(x.dims() - 1);
  return layout;
}

Tensor turned(const Tensor& given, long offset, const RotaryOptions& options, bool backwards) {
  check_rotary(given, options);
  HEED_CHECK(std::abs(offset) <= 1L << 40, "rotary", "the offset is ", offset, "; it must be within 2^40");
  return visit_maths("rotary", given.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const Tensor x = given.size(-1) == 0 || given.strides()[given.dims() - 1] == 1 ? given : contiguous(given);
    Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
    if (y.numel() == 0) return y;
    const long rows = x.size(-2), half = x.size(-1) / 2;
    Tensor turns = Tensor::empty({rows, 2, half}, x.dtype(), x.device());
    kernels::rotary_turns<T>(x.device())(turns.mutable_data<T>(), rows, half, offset, options.base);
    kernels::rotary<T>(x.device())(y.mutable_data<T>(), x.data<T>(), turns.data<T>(), layout_of(x, options.interleaved),
                                   backwards);
    return y;
  });
}

}  // namespace

Tensor rotary(const Tensor& x, long offset, const RotaryOptions& options) { return turned(x, offset, options, false); }

Tensor rotary_backward(const Tensor& dy, long offset, const RotaryOptions& options) {
  return turned(dy, offset, options, true);
}

Tensor rotary_reference(const Tensor& x, long offset, const RotaryOptions& options) {
  check_rotary(x, options);
  const long rows = x.size(-2), D = x.size(-1), half = D / 2;
  std::vector<double> cosines, sines;
  for (long t = 0; t < rows; t++)
    for (long i = 0; i < half; i++) {
      const double angle = double(offset + t) * std::pow(options.base, -2.0 * double(i) / double(D));
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  const Tensor c = cast(from_vector(cosines, {rows, half}), x.dtype());
  const Tensor s = cast(from_vector(sines, {rows, half}), x.dtype());
  const bool paired = options.interleaved;
  const Tensor a = paired ? slice(x, -1, 0, D, 2) : slice(x, -1, 0, half);
  const Tensor b = paired ? slice(x, -1, 1, D, 2) : slice(x, -1, half, D);
  const Tensor first = a * c - b * s, second = a * s + b * c;  // (..., T, D/2)
  if (!paired) return concatenate({first, second}, -1);
  return reshape(concatenate({unsqueeze(first, first.dims()), unsqueeze(second, second.dims())}, -1), x.shape());
}

}  // namespace heed
