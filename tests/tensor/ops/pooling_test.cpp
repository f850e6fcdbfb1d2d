#include "tensor/ops/pooling.h"

#include <limits>

#include "autograd/gradcheck.h"
#include "autograd/ops/pooling.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 1e-5 : 1e-13; }  // some hundred additions in another order

struct Setting {
  Shape x;
  PoolOptions options;
  long windows;  // T'
};

// clang-format off
const Setting kSettings[] = {
    {{2, 8, 3},    {.window = 4}, 2},
    {{2, 9, 3},    {.window = 4}, 2},                                                     // a token is left over
    {{2, 9, 3},    {.window = 4, .partial = true}, 3},                                    // and here it is not
    {{2, 9, 3},    {.window = 3, .stride = 1}, 7},
    {{2, 9, 3},    {.window = 3, .stride = 1, .padding_left = 2}, 9},
    {{2, 9, 3},    {.window = 3, .stride = 2, .padding_left = 1, .padding_right = 1}, 5},
    {{2, 9, 3},    {.window = 2, .stride = 5}, 2},                                        // gaps between windows
    {{2, 9, 3},    {.window = 2, .stride = 8, .partial = true}, 2},
    {{2, 9, 3},    {.window = 2, .stride = 9, .padding_right = 1, .partial = true}, 1},   // would hold padding only
    {{2, 3, 5},    {.window = 7, .partial = true}, 1},                                    // one window, cut short
    {{2, 1, 5},    {.window = 3, .stride = 1, .padding_left = 2, .padding_right = 2}, 3},
    {{1, 1, 1},    {.window = 1}, 1},
    {{0, 5, 3},    {.window = 2}, 2},
    {{2, 5, 0},    {.window = 2}, 2},
    {{3, 301, 33}, {.window = 5, .stride = 2, .padding_left = 4}, 151},
};
// clang-format on

}  // namespace

BOOST_AUTO_TEST_SUITE(pooling_test)

BOOST_AUTO_TEST_CASE(equals_the_definition_in_every_setting) {
  for (DType dtype : {f32, f64})
    for (const Setting& s : kSettings) BOOST_TEST_CONTEXT("x " << s.x << " window " << s.options.window) {
        const Tensor x = noise(s.x, 1, dtype);
        const Tensor top = max_pool1d(x, s.options), middle = mean_pool1d(x, s.options);
        BOOST_TEST(top.shape() == (Shape{s.x[0], s.windows, s.x[2]}));
        check_close(top, max_pool1d_reference(x, s.options), 0);
        check_close(middle, mean_pool1d_reference(x, s.options), rounding(dtype));
      }
}

BOOST_AUTO_TEST_CASE(a_partial_window_is_divided_by_what_it_holds) {
  const Tensor x = tensor({1, 2, 3, 4, 9}, {1, 5, 1});
  check_close(mean_pool1d(x, {.window = 2}), tensor({1.5, 3.5}, {1, 2, 1}), 0);
  check_close(mean_pool1d(x, {.window = 2, .partial = true}), tensor({1.5, 3.5, 9}, {1, 3, 1}), 0);
  check_close(mean_pool1d(x, {.window = 3, .padding_left = 2}), tensor({1, 3}, {1, 2, 1}), 0);
}

BOOST_AUTO_TEST_CASE(gradients_are_right_in_every_setting) {
  for (const Setting& s : kSettings) BOOST_TEST_CONTEXT("x " << s.x << " window " << s.options.window) {
      if (s.x[1] > 100) continue;
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return max_pool1d(x[0], s.options); }, {noise(s.x)}));
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return mean_pool1d(x[0], s.options); }, {noise(s.x)}));
    }
}

BOOST_AUTO_TEST_CASE(nan_wins_and_of_equals_the_first_counts) {
  const Tensor x = tensor({1, NAN, 2, 3, 3, -1, -INFINITY, -INFINITY}, {1, 8, 1});
  const MaxPoolResult top = max_pool1d_with_indices(x, {.window = 2});
  check_close(top.values, tensor({NAN, 3, 3, -INFINITY}, {1, 4, 1}), 0);
  check_close(top.indices, tensor({1, 3, 4, 6}, {1, 4, 1}, i64), 0);
}

BOOST_AUTO_TEST_CASE(strided_and_broadcast_inputs_work) {
  const PoolOptions options{.window = 3, .stride = 2};
  for (const Tensor& x : {transpose(noise({2, 3, 9}), 1, 2), expand(noise({1, 9, 1}), {2, 9, 3})}) {
    check_close(max_pool1d(x, options), max_pool1d_reference(x, options), 0);
    check_close(mean_pool1d(x, options), mean_pool1d_reference(x, options), 1e-14);
    const Tensor lengths = slice(tensor({9, 0, 4, 0}, i64), 0, 0, 4, 2);
    check_close(masked_mean(x, lengths), masked_mean_reference(x, lengths), 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(masked_mean_counts_the_first_tokens_only) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{4, 7, 3}, {4, 300, 130}, {4, 7, 0}}) {
      const Tensor x = noise(shape, 1, dtype), lengths = tensor({0, 1, 5, 7}, {4}, i32);
      check_close(masked_mean(x, lengths), masked_mean_reference(x, lengths), rounding(dtype));
    }
  const Tensor x = tensor({1, 3, NAN, NAN, NAN, NAN}, {2, 3, 1});
  check_close(masked_mean(x, tensor({2, 0}, i64)), tensor({2, 0}, {2, 1}), 0);
  BOOST_TEST(masked_mean(zeros({2, 0, 3}), zeros({2}, i64)).shape() == (Shape{2, 3}));
  BOOST_TEST(masked_mean(zeros({0, 4, 3}), zeros({0}, i64)).shape() == (Shape{0, 3}));
  const Tensor whole = noise({2, 200, 5});
  check_close(masked_mean(whole, full({2}, 200, i64)), mean(whole, {1}), 1e-14);
}

BOOST_AUTO_TEST_CASE(masked_mean_has_the_right_gradient) {
  const Tensor lengths = tensor({0, 1, 5}, i64);
  gradcheck([&](auto& x) { return masked_mean(x[0], lengths); }, {noise({3, 5, 2})});
  gradcheck([&](auto& x) { return masked_mean(x[0], zeros({2}, i64)); }, {noise({2, 0, 3})});
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const PoolOptions options{.window = 5, .stride = 2, .padding_left = 4};
  const Tensor x = noise({5, 901, 37}, 1, f32), lengths = tensor({901, 5, 0, 333, 64}, i64);
  const Tensor dy = noise(max_pool1d(x, options).shape(), 2, f32), d = noise({5, 37}, 3, f32);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const MaxPoolResult top = max_pool1d_with_indices(x, options);
      const std::vector<Tensor> all = {top.values,
                                       top.indices,
                                       max_pool1d_backward(dy, top.indices, x.shape()),
                                       mean_pool1d(x, options),
                                       mean_pool1d_backward(dy, x.shape(), options),
                                       masked_mean(x, lengths),
                                       masked_mean_backward(d, lengths, x.shape())};
      if (first.empty()) first = all;
      for (size_t i = 0; i < all.size(); i++) BOOST_TEST(same_bits(all[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  const Tensor x = zeros({2, 4, 3});
  BOOST_TEST(error_of([&] { max_pool1d(x, {.window = 6, .padding_left = 1}); }) ==
             "max_pool1d: x is (2, 4, 3); a window of 6 tokens is larger than the padded input (4 + 1 + 0 = 5). "
             "partial = true allows a window that is cut short");
  BOOST_TEST(error_of([&] { mean_pool1d(x, {.window = 2, .padding_right = 2}); }) ==
             "mean_pool1d: padding_left is 0, padding_right 2 and the window 2; the rule is 0 <= padding < window");
  BOOST_TEST(
      error_of([&] { mean_pool1d(x, {.window = 0}); }) ==
      "mean_pool1d: window is 0 and stride 0; the window must be at least 1 and the stride too (0: as the window)");
  BOOST_TEST(error_of([&] {
               max_pool1d(zeros({2, 0, 3}), {});
             }) == "max_pool1d: x is (2, 0, 3); it must be (B, T, C) with T at least 1");
  BOOST_TEST(error_of([&] {
               mean_pool1d_backward(zeros({2, 3, 3}), x.shape(), {});
             }) == "mean_pool1d: dy is (2, 3, 3); it must be (2, 2, 3)");
  BOOST_TEST(
      error_of([&] {
        masked_mean(x, tensor({4, 5}, i64));
      }) ==
      "masked_mean: length 5 at (1,) of the lengths, which are (2,), is out of range; the rule is 0 <= length < 5");
  BOOST_TEST(error_of([&] { masked_mean(x, zeros({3}, i64)); }) ==
             "masked_mean: x is (2, 4, 3) and the lengths are (3,); x must be (B, T, C) and the lengths (B,)");
  BOOST_TEST(error_of([&] { max_pool1d(cast(x, i64), {}); }) ==
             "max_pool1d: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  error_of([&] { max_pool1d(Tensor(), {}); });
  error_of([&] { masked_mean(Tensor(), zeros({3}, i64)); });
}

BOOST_AUTO_TEST_CASE(huge_windows_are_refused_or_cut_short) {
  const Tensor x = ones({1, 3, 1});
  constexpr long kMax = std::numeric_limits<long>::max();
  BOOST_TEST(error_of([&] { mean_pool1d(x, {.window = kMax, .partial = true}); }) ==
             "mean_pool1d: window is 9223372036854775807 and stride 0; they must be at most 2^40");
  const long most = 1L << 40;
  PoolOptions wide{.window = most, .stride = 1, .padding_left = 0, .padding_right = most - 1, .partial = true};
  BOOST_TEST(mean_pool1d(x, wide).shape() == (Shape{1, 3, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
