#include "tensor/ops/rotary.h"

#include <cmath>
#include <cstdlib>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_rotary(const Tensor& x) {
  check_defined("rotary", x);
  HEED_CHECK(x.dims() >= 2, "rotary", "x is ", x.shape(), "; it must be (..., T, D). Did you mean unsqueeze(x, 0)?");
  HEED_CHECK(x.size(-1) % 2 == 0, "rotary", "x is ", x.shape(), "; its last size ", x.size(-1),
             " must be even: channels are rotated in pairs");
}

Strides of_rows(const Tensor& x) {
  Strides strides = x.strides();
  strides.erase(x.dims() - 1);
  return strides;
}

bool has_dense_channels(const Tensor& x) { return x.size(-1) <= 1 || x.strides()[x.dims() - 1] == 1; }

Tensor rotated(const Tensor& x, long offset, const RotaryOptions& options, Rotate way) {
  check_rotary(x);
  Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  rotary_into(y, x, rotary_table(x.size(-2), x.size(-1), offset, options.base, x.dtype(), x.device()), way,
              options.interleaved);
  return y;
}

}  // namespace

Tensor rotary_table(long T, long D, long offset, double base, DType dtype, Device device) {
  HEED_CHECK(T >= 0 && D >= 0 && D % 2 == 0, "rotary", "T is ", T, " and D is ", D,
             "; neither may be below 0, and D must be even: channels are rotated in pairs");
  HEED_CHECK(std::abs(offset) <= 1L << 40, "rotary", "the offset is ", offset, "; it must be within 2^40");
  HEED_CHECK(base > 0, "rotary", "the base is ", base, "; it must be above 0");
  Tensor table = Tensor::empty({T, 2, D / 2}, dtype, device);
  visit_maths("rotary", dtype, [&](auto tag) {
    using E = decltype(tag);
    if (table.numel() > 0) kernels::rotary_table<E>(device)(table.mutable_data<E>(), T, D / 2, offset, base);
  });
  return table;
}

void rotary_into(const Tensor& y, const Tensor& given, const Tensor& table, Rotate way, bool interleaved) {
  check_rotary(given);
  check_same_kind("rotary", y, given);
  check_same_kind("rotary", table, given);
  const Tensor x = has_dense_channels(given) ? given : contiguous(given);
  const long T = x.size(-2), D = x.size(-1);
  HEED_CHECK(y.shape() == x.shape() && has_dense_channels(y), "rotary", "x is ", x.shape(), " and y is ", y.shape(),
             " with strides ", y.strides(), "; they must have the same shape, and y dense channels");
  const bool by_sample = table.dims() == 4 && table.size(0) == x.size(0) && x.dims() > 2;
  const Shape rows = {T, 2, D / 2}, many = {x.size(0), T, 2, D / 2};
  HEED_CHECK(table.shape() == (by_sample ? many : rows) && table.is_contiguous(), "rotary", "x is ", x.shape(),
             " and the table is ", table.shape(),
             "; it must be (T, 2, D/2), as rotary_table makes it, or one for each "
             "sample");
  if (y.numel() == 0) return;
  Shape sizes = x.shape();
  sizes.erase(x.dims() - 1);
  visit_maths("rotary", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::rotary<E>(x.device())(y.mutable_data<E>(), x.data<E>(), table.data<E>(),
                                   {sizes, of_rows(x), of_rows(y), D, interleaved, by_sample ? x.size(0) : 1},
                                   way == Rotate::backwards);
  });
}

Tensor rotary(const Tensor& x, long offset, const RotaryOptions& options) {
  return rotated(x, offset, options, Rotate::forwards);
}

Tensor rotary_backward(const Tensor& dy, long offset, const RotaryOptions& options) {
  return rotated(dy, offset, options, Rotate::backwards);
}

Tensor rotary_reference(const Tensor& x, long offset, const RotaryOptions& options) {
  check_rotary(x);
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
