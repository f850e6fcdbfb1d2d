#include "tensor/ops/convolution.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/matmul.h"
#include "tensor/views.h"

namespace heed {
namespace {

using kernels::Conv1dSizes;

void check_options(const Conv1dOptions& o) {
  HEED_CHECK(o.stride >= 1 && o.dilation >= 1 && o.groups >= 1, "conv1d", "stride is ", o.stride, ", dilation ",
             o.dilation, " and groups ", o.groups, "; all must be at least 1");
  HEED_CHECK(o.padding_left >= 0 && o.padding_right >= 0, "conv1d", "padding_left is ", o.padding_left,
             " and padding_right ", o.padding_right, "; neither may be negative");
  constexpr long kMost = 1L << 40;  // so that no sum of them overflows
  HEED_CHECK(std::max({o.stride, o.dilation, o.padding_left, o.padding_right}) <= kMost, "conv1d", "stride is ",
             o.stride, ", dilation ", o.dilation, ", padding_left ", o.padding_left, " and padding_right ",
             o.padding_right, "; they must be at most 2^40");
}

void check_shapes(const Shape& x, const Shape& weight, const Conv1dOptions& o) {
  HEED_CHECK(x.dims() == 3 && weight.dims() == 3, "conv1d", "x is ", x, " and the weight is ", weight,
             "; x must be (B, T, C) and the weight (out, C / groups, K)");
  HEED_CHECK(x[2] % o.groups == 0 && weight[0] % o.groups == 0 && weight[1] == x[2] / o.groups && weight[2] >= 1,
             "conv1d", "x is ", x, ", the weight is ", weight, " and groups is ", o.groups,
             "; with x (B, T, C) the weight must be (out, C / groups, K), K at least 1, and groups divides C and out");
}

// Checks everything and works out the sizes.
Conv1dSizes sizes(const Shape& x, const Shape& weight, const Conv1dOptions& o) {
  check_options(o);
  check_shapes(x, weight, o);
  const long padded = x[1] + o.padding_left + o.padding_right;
  long window = 0;
  HEED_CHECK(!__builtin_mul_overflow(o.dilation, weight[2] - 1, &window) && !__builtin_add_overflow(window, 1, &window),
             "conv1d", "the weight is ", weight, " and dilation ", o.dilation, "; a window has less than 2^63 tokens");
  HEED_CHECK(window <= padded, "conv1d", "x is ", x, " and the weight is ", weight, "; a window of ", window,
             " tokens (K = ", weight[2], ", dilation ", o.dilation, ") is larger than the padded input (", x[1], " + ",
             o.padding_left, " + ", o.padding_right, " = ", padded, "). Pad more: padding_left, padding_right");
  return {x[0], x[1], x[2], (padded - window) / o.stride + 1, weight[2], o};
}

void check_dy(const Tensor& dy, const Conv1dSizes& s, long out) {
  const Shape want{s.B, s.windows, out};
  HEED_CHECK(dy.shape() == want, "conv1d", "dy is ", dy.shape(), "; with x ", Shape{s.B, s.T, s.C}, " it must be ",
             want);
}

bool is_depthwise(const Conv1dSizes& s, long out) { return s.options.groups == s.C && out == s.C; }

// weight (out, C / groups, K) as matrices (groups, out / groups, K * C / groups), in the order of the windows
Tensor as_matrices(const Tensor& weight, const Conv1dSizes& s) {
  const long groups = s.options.groups;
  return reshape(permute(weight, {0, 2, 1}), {groups, weight.size(0) / groups, s.K * (s.C / groups)});
}

// (B, T', out) <-> (groups, B * T', out / groups)
Tensor by_group(const Tensor& y, const Conv1dSizes& s) {
  const long groups = s.options.groups;
  return permute(reshape(y, {s.B * s.windows, groups, y.size(-1) / groups}), {1, 0, 2});
}
Tensor by_token(const Tensor& y, const Conv1dSizes& s) {
  return reshape(permute(y, {1, 0, 2}), {s.B, s.windows, s.options.groups * y.size(-1)});
}

// One multiplication and one addition per element of y and tap; the same in both gradients.
double depthwise_flops(const Conv1dSizes& s) { return 2.0 * double(s.B * s.windows) * double(s.C * s.K); }

// x (B, T, C) -> (groups, B * T', K * C / groups): a row per window
template <class E> Tensor windows_of(const Tensor& x, const Conv1dSizes& s) {
  const long groups = s.options.groups;
  Tensor in = contiguous(x);
  Tensor rows = Tensor::empty({groups, s.B * s.windows, s.K * (s.C / groups)}, x.dtype(), x.device());
  kernels::unfold<E>(x.device())(rows.mutable_data<E>(), in.data<E>(), s);
  return rows;
}

template <class E> Tensor depthwise(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dSizes& s) {
  Tensor in = contiguous(x), w = contiguous(transpose(squeeze(weight, 1)));  // (K, C)
  Tensor b = contiguous_or_none(bias), y = Tensor::empty({s.B, s.windows, s.C}, x.dtype(), x.device());
  kernels::depthwise<E>(x.device(), depthwise_flops(s))(y.mutable_data<E>(), in.data<E>(), w.data<E>(),
                                                        data_or_null<E>(b), s);
  return y;
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  check_same_kind("conv1d", x, weight);
  const Conv1dSizes s = sizes(x.shape(), weight.shape(), options);
  if (bias.defined()) {
    check_same_kind("conv1d", x, bias);
    HEED_CHECK(bias.shape() == Shape{weight.size(0)}, "conv1d", "the weight is ", weight.shape(), " and the bias is ",
               bias.shape(), "; with the weight (out, C / groups, K) the bias must be (out,)");
  }
  return visit_maths("conv1d", x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    if (is_depthwise(s, weight.size(0))) return depthwise<E>(x, weight, bias, s);
    Tensor y = by_token(matmul(windows_of<E>(x, s), transpose(as_matrices(weight, s))), s);
    if (bias.defined()) add_into(y, bias);
    return y;
  });
}

Tensor conv1d_backward_x(const Tensor& dy, const Tensor& weight, const Shape& x_shape, const Conv1dOptions& options) {
  check_same_kind("conv1d", dy, weight);
  const Conv1dSizes s = sizes(x_shape, weight.shape(), options);
  check_dy(dy, s, weight.size(0));
  return visit_maths("conv1d", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor dx = Tensor::empty(x_shape, dy.dtype(), dy.device());
    if (is_depthwise(s, weight.size(0))) {
      Tensor given = contiguous(dy), w = contiguous(transpose(squeeze(weight, 1)));
      kernels::depthwise_backward_x<E>(dy.device(), depthwise_flops(s))(dx.mutable_data<E>(), given.data<E>(),
                                                                        w.data<E>(), s);
    } else {
      Tensor dwindows = matmul(by_group(dy, s), as_matrices(weight, s));
      kernels::fold<E>(dy.device())(dx.mutable_data<E>(), dwindows.data<E>(), s);
    }
    return dx;
  });
}

Tensor conv1d_backward_weight(const Tensor& dy, const Tensor& x, const Shape& weight_shape,
                              const Conv1dOptions& options) {
  check_same_kind("conv1d", dy, x);
  const Conv1dSizes s = sizes(x.shape(), weight_shape, options);
  check_dy(dy, s, weight_shape[0]);
  return visit_maths("conv1d", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    if (!is_depthwise(s, weight_shape[0])) {
      Tensor dw = matmul(transpose(by_group(dy, s)), windows_of<E>(x, s));  // (groups, out / groups, K * C / groups)
      return permute(reshape(dw, {weight_shape[0], s.K, weight_shape[1]}), {0, 2, 1});
    }
    Tensor given = contiguous(dy), in = contiguous(x), dw = Tensor::empty({s.K, s.C}, dy.dtype(), dy.device());
    Tensor workspace = Tensor::empty({kernels::depthwise_workspace_bytes<E>(dy.device())(s)}, u8, dy.device());
    kernels::depthwise_backward_weight<E>(dy.device(), depthwise_flops(s))(
        dw.mutable_data<E>(), given.data<E>(), in.data<E>(), s, workspace.mutable_data<uint8_t>());
    return unsqueeze(transpose(dw), 1);
  });
}

Tensor conv1d_reference(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  const Conv1dSizes s = sizes(x.shape(), weight.shape(), options);
  const long out = weight.size(0), in = weight.size(1);
  std::vector<double> y;
  for (long b = 0; b < s.B; b++)
    for (long t = 0; t < s.windows; t++)
      for (long o = 0; o < out; o++) {
        double total = bias.defined() ? bias.at({o}) : 0;
        for (long k = 0; k < s.K; k++) {
          const long from = t * options.stride + k * options.dilation - options.padding_left;
          const long first = o / (out / options.groups) * in;
          for (long i = 0; i < in && from >= 0 && from < s.T; i++)
            total += weight.at({o, i, k}) * x.at({b, from, first + i});
        }
        y.push_back(total);
      }
  return cast(from_vector(y, {s.B, s.windows, out}), x.dtype());
}

}  // namespace heed
