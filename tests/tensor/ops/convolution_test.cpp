#include "nn/convolution.h"

#include <limits>

#include "autograd/gradcheck.h"
#include "autograd/ops/convolution.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 2e-5 : 1e-13; }  // some hundred products in another order

struct Setting {
  Shape x, weight;
  Conv1dOptions options;
};

// clang-format off
const Setting kSettings[] = {
    //  x           weight      options
    {{2, 7, 3},   {5, 3, 3}, {}},
    {{2, 7, 3},   {5, 3, 1}, {}},
    {{1, 1, 1},   {1, 1, 1}, {}},
    {{2, 7, 3},   {5, 3, 3}, {.padding_left = 2}},                                      // causal
    {{2, 7, 3},   {5, 3, 3}, {.padding_left = 1, .padding_right = 1}},                  // same length
    {{2, 8, 3},   {4, 3, 4}, {.stride = 4}},                                            // windows side by side
    {{2, 9, 3},   {4, 3, 3}, {.stride = 2, .padding_right = 2}},                        // a token is left over
    {{3, 11, 2},  {3, 2, 3}, {.stride = 5, .padding_left = 1}},                         // gaps between windows
    {{2, 9, 3},   {4, 3, 3}, {.dilation = 3}},
    {{2, 9, 3},   {4, 3, 3}, {.stride = 2, .padding_left = 6, .dilation = 3}},
    {{2, 7, 6},   {4, 3, 3}, {.padding_left = 1, .groups = 2}},
    {{2, 7, 6},   {9, 2, 2}, {.stride = 2, .padding_right = 3, .dilation = 2, .groups = 3}},
    {{2, 7, 5},   {5, 1, 3}, {.padding_left = 2, .groups = 5}},                         // depth-wise
    {{2, 9, 5},   {5, 1, 3}, {.stride = 2, .padding_left = 1, .padding_right = 4, .dilation = 2, .groups = 5}},
    {{2, 7, 5},   {10, 1, 3}, {.padding_right = 9, .groups = 5}},                       // two outputs per channel
    {{2, 1, 4},   {4, 1, 4}, {.padding_left = 3, .groups = 4}},
    {{1, 0, 2},   {3, 2, 2}, {.padding_left = 1, .padding_right = 2}},                  // nothing but padding
    {{0, 7, 2},   {3, 2, 2}, {}},
    {{2, 7, 0},   {3, 0, 2}, {}},
    {{2, 130, 33}, {33, 1, 5}, {.padding_left = 4, .groups = 33}},
    {{2, 130, 33}, {17, 33, 5}, {.padding_left = 4}},
};
// clang-format on

}  // namespace

BOOST_AUTO_TEST_SUITE(convolution_test)

BOOST_AUTO_TEST_CASE(equals_plain_loops_in_every_setting) {
  for (DType dtype : {f32, f64})
    for (const Setting& s : kSettings) BOOST_TEST_CONTEXT("x " << s.x << " weight " << s.weight) {
        const Tensor x = noise(s.x, 1, dtype), w = noise(s.weight, 2, dtype), b = noise({s.weight[0]}, 3, dtype);
        check_close(conv1d(x, w, b, s.options), conv1d_reference(x, w, b, s.options), rounding(dtype));
        check_close(conv1d(x, w, {}, s.options), conv1d_reference(x, w, {}, s.options), rounding(dtype));
      }
}

BOOST_AUTO_TEST_CASE(gradients_are_right_in_every_setting) {
  for (const Setting& s : kSettings) BOOST_TEST_CONTEXT("x " << s.x << " weight " << s.weight) {
      if (s.x[1] > 100) continue;
      const std::vector<Tensor> inputs = {noise(s.x), noise(s.weight, 2), noise({s.weight[0]}, 3)};
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return conv1d(x[0], x[1], x[2], s.options); }, inputs));
    }
  gradcheck([](auto& x) { return conv1d(x[0], x[1], {}); }, {noise({2, 5, 3}), noise({2, 3, 2}, 2)});
  const Tensor x = noise({2, 5, 3});  // only what is wanted
  gradcheck([&](auto& w) { return conv1d(cast(x, w[0].dtype()), w[0], {}); }, {noise({2, 3, 2})});
}

BOOST_AUTO_TEST_CASE(the_adjoints_agree_with_the_forward_pass_on_long_inputs) {
  // y is linear in x and in the weight: <dy, y> = <dx, x> = <dweight, weight>.
  for (const Setting& s : kSettings) {
    const Tensor x = noise(s.x), w = noise(s.weight, 2), y = conv1d(x, w, {}, s.options), dy = noise(y.shape(), 3);
    check_close(sum(conv1d_backward_x(dy, w, s.x, s.options) * x), sum(dy * y), 1e-11);
    check_close(sum(conv1d_backward_weight(dy, x, s.weight, s.options) * w), sum(dy * y), 1e-11);
  }
}

BOOST_AUTO_TEST_CASE(strided_and_broadcast_inputs_work) {
  const Tensor x = transpose(noise({2, 3, 9}), 1, 2), w = transpose(noise({3, 3, 4}), 0, 2);
  check_close(conv1d(x, w, expand(noise({1}), {4})), conv1d_reference(x, w, expand(noise({1}), {4})), 1e-13);
  const Tensor wide = expand(noise({1, 9, 1}), {2, 9, 3}), depth = slice(noise({3, 1, 8}), 2, 0, 8, 2);
  check_close(conv1d(wide, depth, {}, {.groups = 3}), conv1d_reference(wide, depth, {}, {.groups = 3}), 1e-13);
}

BOOST_AUTO_TEST_CASE(a_window_of_one_is_a_linear_layer) {
  const Tensor x = noise({2, 7, 3}), w = noise({5, 3, 1}, 2);
  check_close(conv1d(x, w, {}), matmul(x, transpose(squeeze(w, 2))), 1e-14);
}

BOOST_AUTO_TEST_CASE(with_padding_on_the_left_no_output_sees_the_future) {
  for (long groups : {1, 6}) {
    const Tensor x = noise({2, 9, 6}, 1, f32), w = noise({6, 6 / groups, 3}, 2, f32), changed = clone(x);
    fill(slice(changed, 1, 5, 9), 1e6);
    const Conv1dOptions causal{.padding_left = 4, .dilation = 2, .groups = groups};
    const Tensor y = conv1d(x, w, {}, causal), z = conv1d(changed, w, {}, causal);
    BOOST_TEST(y.size(1) == 9);
    BOOST_TEST(same_bits(slice(y, 1, 0, 5), slice(z, 1, 0, 5)));
    BOOST_TEST(!same_bits(y, z));
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  for (long groups : {1, 3, 33}) {
    const Shape weight{33, 33 / groups, 5};
    const Conv1dOptions options{.stride = 2, .padding_left = 4, .groups = groups};
    const Tensor x = noise({3, 501, 33}, 1, f32), w = noise(weight, 2, f32), b = noise({33}, 3, f32);
    const Tensor dy = noise(conv1d(x, w, b, options).shape(), 4, f32);
    std::vector<Tensor> first;
    for (int count : {1, 2, 3})
      on_threads(count, [&] {
        const std::vector<Tensor> all = {conv1d(x, w, b, options), conv1d_backward_x(dy, w, x.shape(), options),
                                         conv1d_backward_weight(dy, x, weight, options)};
        if (first.empty()) first = all;
        for (size_t i = 0; i < all.size(); i++) BOOST_TEST(same_bits(all[i], first[i]));
      });
  }
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  const Tensor x = zeros({2, 4, 6}), w = zeros({3, 6, 5});
  BOOST_TEST(error_of([&] { conv1d(x, w, {}); }) ==
             "conv1d: x is (2, 4, 6) and the weight is (3, 6, 5); a window of 5 tokens (K = 5, dilation 1) is larger "
             "than the padded input (4 + 0 + 0 = 4). Pad more: padding_left, padding_right");
  BOOST_TEST(error_of([&] { conv1d(x, w, {}, {.padding_left = 2, .padding_right = 1, .dilation = 3}); }) ==
             "conv1d: x is (2, 4, 6) and the weight is (3, 6, 5); a window of 13 tokens (K = 5, dilation 3) is larger "
             "than the padded input (4 + 2 + 1 = 7). Pad more: padding_left, padding_right");
  BOOST_TEST(error_of([&] { conv1d(x, w, {}, {.groups = 2}); }) ==
             "conv1d: x is (2, 4, 6), the weight is (3, 6, 5) and groups is 2; with x (B, T, C) the weight must be "
             "(out, C / groups, K), K at least 1, and groups divides C and out");
  BOOST_TEST(
      error_of([&] {
        conv1d(zeros({4, 6}), w, {});
      }) == "conv1d: x is (4, 6) and the weight is (3, 6, 5); x must be (B, T, C) and the weight (out, C / groups, K)");
  BOOST_TEST(error_of([&] {
               conv1d(x, zeros({3, 6, 2}), zeros({2}));
             }) ==
             "conv1d: the weight is (3, 6, 2) and the bias is (2,); with the weight (out, C / groups, K) the bias must "
             "be (out,)");
  BOOST_TEST(error_of([&] { conv1d(x, w, {}, {.stride = 0}); }) ==
             "conv1d: stride is 0, dilation 1 and groups 1; all must be at least 1");
  BOOST_TEST(error_of([&] { conv1d(x, w, {}, {.padding_right = -1}); }) ==
             "conv1d: padding_left is 0 and padding_right -1; neither may be negative");
  BOOST_TEST(error_of([&] {
               conv1d_backward_x(zeros({2, 4, 3}), zeros({3, 6, 2}), x.shape(), {});
             }) == "conv1d: dy is (2, 4, 3); with x (2, 4, 6) it must be (2, 3, 3)");
  BOOST_TEST(error_of([&] {
               conv1d(cast(x, i64), zeros({3, 6, 2}, i64), {});
             }) == "conv1d: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  error_of([&] { conv1d(x, zeros({3, 6, 0}), {}); });
  error_of([&] { conv1d({}, w, {}); });
  error_of([&] { conv1d(x, {}, {}); });
}

BOOST_AUTO_TEST_CASE(the_module_holds_weight_and_bias) {
  Context ctx;
  Conv1d plain(6, 4, 3), causal(6, 6, 3, {.window = {.padding_left = 2, .groups = 6}, .bias = false});
  const Tensor x = noise({2, 7, 6}, 1, f32);
  BOOST_TEST(plain.weight.shape() == (Shape{4, 6, 3}));
  BOOST_TEST(plain.parameters()[0]->decay);
  BOOST_TEST(!plain.parameters()[1]->decay);
  BOOST_TEST(plain.forward(x, ctx).shape() == (Shape{2, 5, 4}));
  BOOST_TEST(causal.parameters().size() == 1u);
  check_close(causal.forward(x, ctx).value(), conv1d(x, causal.weight.value(), {}, {.padding_left = 2, .groups = 6}),
              0);
  BOOST_TEST(error_of([] { Conv1d bad(6, 4, 3, {.window = {.groups = 3}}); }) ==
             "Conv1d: in is 6, out is 4 and groups is 3; groups must divide both");
}

BOOST_AUTO_TEST_CASE(huge_options_are_refused_instead_of_overflowing) {
  const Tensor x = zeros({1, 6, 1}), w = zeros({1, 1, 3});
  BOOST_TEST(
      error_of([&] { conv1d(x, w, Tensor(), {.dilation = std::numeric_limits<long>::max()}); }) ==
      "conv1d: stride is 1, dilation 9223372036854775807, padding_left 0 and padding_right 0; they must be at most "
      "2^40");
  BOOST_CHECK_THROW(conv1d(x, w, Tensor(), {.padding_left = std::numeric_limits<long>::max()}), Error);
  BOOST_CHECK_THROW(conv1d(x, w, Tensor(), {.dilation = 1L << 40}), Error);  // a window larger than the input
}

BOOST_AUTO_TEST_SUITE_END()
