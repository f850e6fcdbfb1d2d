#include "autograd/ops/rotary.h"

#include <cmath>

#include "autograd/gradcheck.h"
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

double rounding(DType dtype) { return dtype == f32 ? 1e-6 : 1e-14; }  // two products and a sum
constexpr double kAngle = 1e-10;  // an angle near 100,000 radians is known to 1e-11 in double
const RotaryOptions kHalves{.interleaved = false};

}  // namespace

BOOST_AUTO_TEST_SUITE(rotary_test)

BOOST_AUTO_TEST_CASE(equals_the_definition_for_every_layout) {
  for (DType dtype : {f32, f64})
    for (const RotaryOptions& options : {RotaryOptions{}, kHalves, RotaryOptions{.base = 50}})
      for (long offset : {0L, 7L, 1000L}) {
        const Tensor packed = noise({2, 5, 3, 4, 6}, 1, dtype);            // (B, T, 3, H, D)
        const Tensor heads = permute(select(packed, 2, 1), {0, 2, 1, 3});  // (B, H, T, D)
        for (const Tensor& x : {noise({1, 2}, 2, dtype), noise({33, 10}, 3, dtype), heads, transpose(heads, 1, 2),
                                slice(noise({3, 4, 8}, 4, dtype), 2, 0, 8, 2), transpose(noise({4, 5}, 5, dtype)),
                                expand(noise({1, 3, 2}, 6, dtype), {4, 3, 2})})
          if (x.size(-1) % 2 == 0)
            check_close(rotary(x, offset, options), rotary_reference(x, offset, options), rounding(dtype));
      }
}

BOOST_AUTO_TEST_CASE(pairs_rotate_by_the_stated_angles) {
  const Tensor x = tensor({1, 0, 1, 0}, {1, 4}, f64);
  const double w = 0.01;  // 10000^(-2/4)
  check_close(rotary(x, 3), tensor({std::cos(3.), std::sin(3.), std::cos(3 * w), std::sin(3 * w)}, {1, 4}, f64), 1e-15);
  const Tensor y = tensor({1, 1, 0, 0}, {1, 4}, f64);  // the same pairs, as halves
  check_close(rotary(y, 3, kHalves),
              tensor({std::cos(3.), std::cos(3 * w), std::sin(3.), std::sin(3 * w)}, {1, 4}, f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(dot_products_depend_on_the_distance_only) {
  const Tensor q = noise({1, 16}), k = noise({1, 16}, 2);
  for (const RotaryOptions& options : {RotaryOptions{}, kHalves})
    for (long distance : {0L, 1L, 5L, -3L}) {
      auto score = [&](long i) { return sum(rotary(q, i, options) * rotary(k, i - distance, options)); };
      for (long i : {1L, 17L, 100000L}) check_close(score(i), score(0), kAngle);
    }
}

BOOST_AUTO_TEST_CASE(lengths_are_kept_and_position_zero_stays) {
  const Tensor x = noise({2, 9, 8}), y = rotary(x);
  check_close(sum(y * y, {-1}), sum(x * x, {-1}), rounding(f64));
  BOOST_TEST(same_bits(select(y, 1, 0), select(x, 1, 0)));
}

BOOST_AUTO_TEST_CASE(tokens_one_by_one_equal_the_whole) {
  const Tensor x = noise({2, 6, 4}, 1, f32), whole = rotary(x);
  for (long t = 0; t < 6; t++) BOOST_TEST(same_bits(rotary(slice(x, 1, t, t + 1), t), slice(whole, 1, t, t + 1)));
}

BOOST_AUTO_TEST_CASE(backward_rotates_back) {
  const Tensor x = noise({2, 5, 6});
  for (const RotaryOptions& options : {RotaryOptions{}, kHalves})
    check_close(rotary_backward(rotary(x, 11, options), 11, options), x, rounding(f64));
}

BOOST_AUTO_TEST_CASE(gradients_pass_the_check) {
  for (const RotaryOptions& options : {RotaryOptions{}, kHalves})
    for (const Shape& shape : {Shape{3, 4}, {2, 2, 3, 6}, {1, 2}, {0, 2}, {3, 0}})
      BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return rotary(x[0], 2, options); }, {noise(shape)}));
}

BOOST_AUTO_TEST_CASE(the_bits_are_the_same_for_any_thread_count) {
  for (DType dtype : {f32, f64})
    for (const RotaryOptions& options : {RotaryOptions{}, kHalves}) {
      const Tensor x = noise({3, 2, 257, 62}, 1, dtype);
      Tensor first;
      on_threads(1, [&] { first = rotary(x, 5, options); });
      for (int count : {2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(rotary(x, 5, options), first)); });
    }
}

BOOST_AUTO_TEST_CASE(empty_tensors_stay_empty) {
  for (const Shape& shape : {Shape{0, 4}, {3, 0}, {2, 0, 4}, {0, 3, 4}})
    BOOST_TEST(rotary(zeros(shape)).shape() == shape);
}

BOOST_AUTO_TEST_CASE(wrong_inputs_are_refused) {
  BOOST_TEST(error_of([] { rotary(zeros({4})); }) ==
             "rotary: x is (4,); it must be (..., T, D). Did you mean unsqueeze(x, 0)?");
  BOOST_TEST(error_of([] {
               rotary(zeros({2, 3}));
             }) == "rotary: x is (2, 3); its last size 3 must be even: channels are rotated in pairs");
  BOOST_TEST(error_of([] { rotary(zeros({2, 4}), 0, {.base = 0}); }) == "rotary: the base is 0; it must be above 0");
  BOOST_TEST(error_of([] { rotary(zeros({2, 4}, bf16)); }).find("Cast first") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_gradient_has_the_same_bits_for_any_number_of_threads) {
  const Tensor dy = noise({3, 1031, 62}, 1, f32);
  Tensor first;
  on_threads(1, [&] { first = rotary_backward(dy, 5, {}); });
  for (int count : {2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(rotary_backward(dy, 5, {}), first)); });
}

BOOST_AUTO_TEST_SUITE_END()
