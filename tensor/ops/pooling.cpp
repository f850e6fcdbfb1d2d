#include "tensor/ops/pooling.h"

#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

using kernels::PoolSizes;

void check_options(const char* op, const PoolOptions& o) {
  HEED_CHECK(o.window >= 1 && o.stride >= 0, op, "window is ", o.window, " and stride ", o.stride,
             "; the window must be at least 1 and the stride too (0: as the window)");
  HEED_CHECK(o.padding_left >= 0 && o.padding_right >= 0 && o.padding_left < o.window && o.padding_right < o.window, op,
             "padding_left is ", o.padding_left, ", padding_right ", o.padding_right, " and the window ", o.window,
             "; the rule is 0 <= padding < window");
  constexpr long kMost = 1L << 40;  // so that no sum of them overflows
  HEED_CHECK(o.window <= kMost && o.stride <= kMost, op, "window is ", o.window, " and stride ", o.stride,
             "; they must be at most 2^40");
}

// How many windows there are; see the header.
long windows_of(long T, long stride, const PoolOptions& o) {
  const long space = T + o.padding_left + o.padding_right - o.window;
  if (!o.partial) return space / stride + 1;
  const long covering = ceil_div(std::max(space, 0L), stride) + 1;
  const long with_tokens = (T + o.padding_left - 1) / stride + 1;  // the others begin behind the last real token
  return std::min(covering, with_tokens);
}

// Checks everything and works out the sizes.
PoolSizes sizes(const char* op, const Shape& x, const PoolOptions& o) {
  check_options(op, o);
  HEED_CHECK(x.dims() == 3 && x[1] >= 1, op, "x is ", x, "; it must be (B, T, C) with T at least 1");
  const long padded = x[1] + o.padding_left + o.padding_right, stride = o.stride ? o.stride : o.window;
  HEED_CHECK(o.partial || o.window <= padded, op, "x is ", x, "; a window of ", o.window,
             " tokens is larger than the padded input (", x[1], " + ", o.padding_left, " + ", o.padding_right, " = ",
             padded, "). partial = true allows a window that is cut short");
  return {x[0], x[1], x[2], windows_of(x[1], stride, o), o.window, stride, o.padding_left};
}

// For each window the mean or maximum of its real tokens, one after the other.
template <class F> Tensor each_window(const char* op, const Tensor& x, const PoolOptions& options, F&& f) {
  const PoolSizes s = sizes(op, x.shape(), options);
  std::vector<Tensor> parts;
  for (long t = 0; t < s.windows; t++) {
    const long first = t * s.stride - s.padding_left;
    parts.push_back(f(slice(x, 1, std::max(first, 0L), std::min(first + s.window, s.T))));
  }
  return concatenate(parts, 1);
}

void check_dy(const char* op, const Tensor& dy, const Shape& want) {
  check_defined(op, dy);
  HEED_CHECK(dy.shape() == want, op, "dy is ", dy.shape(), "; it must be ", want);
}

Tensor checked_lengths(const Tensor& lengths, const Shape& x, Device device) {
  check_defined("masked_mean", lengths);
  HEED_CHECK(x.dims() == 3 && lengths.shape() == Shape{x[0]}, "masked_mean", "x is ", x, " and the lengths are ",
             lengths.shape(), "; x must be (B, T, C) and the lengths (B,)");
  return checked_indices("masked_mean", lengths, x[1] + 1, device, {"length", "lengths"});
}

}  // namespace

MaxPoolResult max_pool1d_with_indices(const Tensor& x, const PoolOptions& options) {
  check_defined("max_pool1d", x);
  const PoolSizes s = sizes("max_pool1d", x.shape(), options);
  return visit_maths("max_pool1d", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty({s.B, s.windows, s.C}, x.dtype(), x.device());
    Tensor indices = Tensor::empty(y.shape(), i64, x.device());
    kernels::max_pool1d<E>(x.device())(y.mutable_data<E>(), indices.mutable_data<int64_t>(), in.data<E>(), s);
    return MaxPoolResult{y, indices};
  });
}

Tensor max_pool1d(const Tensor& x, const PoolOptions& options) { return max_pool1d_with_indices(x, options).values; }

Tensor max_pool1d_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape) {
  return gather_backward(dy, 1, indices, x_shape);  // y = gather(x, 1, indices)
}

Tensor mean_pool1d(const Tensor& x, const PoolOptions& options) {
  check_defined("mean_pool1d", x);
  const PoolSizes s = sizes("mean_pool1d", x.shape(), options);
  return visit_maths("mean_pool1d", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty({s.B, s.windows, s.C}, x.dtype(), x.device());
    kernels::mean_pool1d<E>(x.device())(y.mutable_data<E>(), in.data<E>(), s);
    return y;
  });
}

Tensor mean_pool1d_backward(const Tensor& dy, const Shape& x_shape, const PoolOptions& options) {
  const PoolSizes s = sizes("mean_pool1d", x_shape, options);
  check_dy("mean_pool1d", dy, {s.B, s.windows, s.C});
  return visit_maths("mean_pool1d", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor given = contiguous(dy), dx = Tensor::empty(x_shape, dy.dtype(), dy.device());
    kernels::mean_pool1d_backward<E>(dy.device())(dx.mutable_data<E>(), given.data<E>(), s);
    return dx;
  });
}

Tensor masked_mean(const Tensor& x, const Tensor& lengths) {
  check_defined("masked_mean", x);
  Tensor counts = checked_lengths(lengths, x.shape(), x.device());
  return visit_maths("masked_mean", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(x), y = Tensor::empty({x.size(0), x.size(2)}, x.dtype(), x.device());
    kernels::masked_mean<E>(x.device())(y.mutable_data<E>(), in.data<E>(), counts.data<int64_t>(), x.size(0), x.size(1),
                                        x.size(2));
    return y;
  });
}

Tensor masked_mean_backward(const Tensor& dy, const Tensor& lengths, const Shape& x_shape) {
  check_defined("masked_mean", dy);
  Tensor counts = checked_lengths(lengths, x_shape, dy.device());
  check_dy("masked_mean", dy, {x_shape[0], x_shape[2]});
  return visit_maths("masked_mean", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor given = contiguous(dy), dx = Tensor::empty(x_shape, dy.dtype(), dy.device());
    kernels::masked_mean_backward<E>(dy.device())(dx.mutable_data<E>(), given.data<E>(), counts.data<int64_t>(),
                                                  x_shape[0], x_shape[1], x_shape[2]);
    return dx;
  });
}

Tensor max_pool1d_reference(const Tensor& x, const PoolOptions& options) {
  return each_window("max_pool1d", x, options, [](const Tensor& window) { return max(window, {1}, true); });
}

Tensor mean_pool1d_reference(const Tensor& x, const PoolOptions& options) {
  return each_window("mean_pool1d", x, options, [](const Tensor& window) { return mean(window, {1}, true); });
}

Tensor masked_mean_reference(const Tensor& x, const Tensor& lengths) {
  Tensor counts = checked_lengths(lengths, x.shape(), x.device());
  Tensor y = zeros({x.size(0), x.size(2)}, x.dtype(), x.device());
  for (long b = 0; b < x.size(0); b++)
    if (const long n = long(counts.at({b}))) copy_into(select(y, 0, b), mean(slice(select(x, 0, b), 0, 0, n), {0}));
  return y;
}

}  // namespace heed
