#include "autograd/ops/softmax.h"

#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
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

constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
// Up to 50,000 numbers added one after the other in f32.
constexpr double kLongRow = 1e-4;
double rounding(DType dtype) { return dtype == f32 ? 2e-6 : 1e-14; }  // some last bits: another order of additions
constexpr double kStep = 1e-5, kDifference = 1e-9;                    // central differences in double

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_test)

BOOST_AUTO_TEST_CASE(softmax_rows_sum_to_one) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{1}, {7}, {5, 1}, {3, 33}, {2, 3, 1000}, {2, 50000}}) {
      const Tensor y = softmax(noise(shape, 1, dtype) * 5.0);
      check_close(sum(y, {-1}), ones(sum(y, {-1}).shape()), shape.back() > 1000 ? kLongRow : rounding(dtype));
    }
}

BOOST_AUTO_TEST_CASE(equals_the_definition_along_any_axis_of_any_layout) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({4, 5, 6}, 1, dtype) * 3.0;
    for (const Tensor& view : {x, transpose(x), slice(x, 2, 0, 6, 2), expand(slice(x, 1, 0, 1), {4, 3, 6})})
      for (int axis = -3; axis < 3; axis++)
        check_close(softmax(view, axis), softmax_reference(view, axis), rounding(dtype));
  }
}

BOOST_AUTO_TEST_CASE(a_common_shift_changes_nothing_and_nothing_overflows) {
  const Tensor x = tensor({1, 2, 3}, f64);
  check_close(softmax(x + 1e4), softmax(x), 1e-11);
  check_close(softmax(x - 1e4), softmax(x), 1e-11);
  check_close(softmax(tensor({1e30, 0, -1e30})), tensor({1, 0, 0}), 0);
}

BOOST_AUTO_TEST_CASE(a_row_that_sees_nothing_gives_zeros_and_zero_gradient) {
  const Tensor x = tensor({-kInf, -kInf, -kInf, 0, -kInf, 0}, {2, 3});
  const Tensor y = softmax(x);
  check_close(y, tensor({0, 0, 0, 0.5, 0, 0.5}, {2, 3}), 0);
  check_close(softmax_backward(tensor({1, 2, 3, 1, 2, 3}, {2, 3}), y), tensor({0, 0, 0, -0.5, 0, 0.5}, {2, 3}), 0);
}

BOOST_AUTO_TEST_CASE(nan_poisons_its_row_only) {
  const Tensor y = softmax(tensor({1, kNan, 2, 0, 0, 0}, {2, 3}, f64));
  check_close(y, tensor({kNan, kNan, kNan, 1. / 3, 1. / 3, 1. / 3}, {2, 3}, f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(gradient_equals_central_differences) {
  for (int axis : {0, 1, -1}) {
    const Tensor x = noise({3, 4, 5}), dy = noise({3, 4, 5}, 2), u = noise({3, 4, 5}, 3);
    const Tensor dx = softmax_backward(dy, softmax(x, axis), axis);
    const Tensor slope = (softmax(x + u * kStep, axis) - softmax(x - u * kStep, axis)) / (2 * kStep);
    check_close(sum(dx * u), sum(dy * slope), kDifference);  // along the direction u
  }
}

BOOST_AUTO_TEST_CASE(gradient_is_the_stated_formula_in_f32_too) {
  const Tensor y = softmax(noise({6, 40}, 1, f32)), dy = noise({40, 6}, 2, f32);
  const Tensor transposed = transpose(dy);
  check_close(softmax_backward(transposed, y), y * (transposed - sum(y * transposed, {-1}, true)), 1e-6);
}

BOOST_AUTO_TEST_CASE(empty_tensors_stay_empty) {
  for (const Shape& shape : {Shape{0}, {3, 0}, {0, 3}, {2, 0, 4}}) {
    BOOST_TEST(softmax(zeros(shape)).shape() == shape);
    BOOST_TEST(softmax_backward(zeros(shape), zeros(shape), 0).shape() == shape);
  }
}

BOOST_AUTO_TEST_CASE(log_softmax_equals_the_definition_along_any_axis_of_any_layout) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({4, 5, 6}, 1, dtype) * 3.0;
    for (const Tensor& view : {x, transpose(x), slice(x, 2, 0, 6, 2), expand(slice(x, 1, 0, 1), {4, 3, 6})})
      for (int axis = -3; axis < 3; axis++) {
        check_close(log_softmax(view, axis), log_softmax_reference(view, axis), rounding(dtype));
        check_close(exp(log_softmax(view, axis)), softmax(view, axis), rounding(dtype));
      }
    const Tensor long_rows = noise({2, 50000}, 2, dtype);
    check_close(log_softmax(long_rows), log_softmax_reference(long_rows), rounding(dtype));
  }
}

BOOST_AUTO_TEST_CASE(log_softmax_keeps_what_softmax_rounds_to_zero) {
  check_close(log_softmax(tensor({1e30, 0, -1e30})), tensor({0, -1e30, -2e30}), 1e-7);
  check_close(log_softmax(tensor({0, -1000, -kInf})), tensor({0, -1000, -kInf}), 0);
  check_close(log_softmax(tensor({1e4, 1e4}, f64)), full({2}, -std::log(2)), 1e-6);
  check_close(log_softmax(tensor({5})), tensor({0}), 0);
}

BOOST_AUTO_TEST_CASE(a_row_that_sees_nothing_has_a_log_softmax_of_minus_infinity_and_zero_gradient) {
  const Tensor x = tensor({-kInf, -kInf, -kInf, 0, -kInf, 0}, {2, 3}, f64), y = log_softmax(x);
  const double half = -std::log(2);
  check_close(y, tensor({-kInf, -kInf, -kInf, half, -kInf, half}, {2, 3}, f64), rounding(f64));
  check_close(y, log_softmax_reference(x), rounding(f64));
  check_close(log_softmax_backward(tensor({1, 2, 3, 1, 2, 3}, {2, 3}, f64), y), tensor({0, 0, 0, -2, 2, 0}, {2, 3}),
              rounding(f64));
}

BOOST_AUTO_TEST_CASE(nan_poisons_its_row_of_log_softmax_only) {
  const Tensor y = log_softmax(tensor({1, kNan, 2, kNan, -kInf, -kInf, 0, -kInf, -kInf}, {3, 3}, f64));
  check_close(y, tensor({kNan, kNan, kNan, kNan, kNan, kNan, 0, -kInf, -kInf}, {3, 3}, f64), 0);
}

BOOST_AUTO_TEST_CASE(softmax_and_log_softmax_pass_gradcheck) {
  for (const Shape& shape : {Shape{1}, {5}, {3, 5}, {3, 4, 2}, {2, 0, 3}})
    for (int axis = -1; axis < shape.dims(); axis++) {
      BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return softmax(x[0], axis); }, {noise(shape)}));
      BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return log_softmax(x[0], axis); }, {noise(shape)}));
    }
}

BOOST_AUTO_TEST_CASE(log_softmax_has_the_same_bits_for_any_thread_count) {
  for (const Shape& shape : {Shape{257, 513}, {1, 100003}, {50021, 3}}) {
    const Tensor x = noise(shape, 1, f32), dy = noise(shape, 2, f32);
    std::vector<Tensor> first;
    for (int count : {1, 2, 3})
      on_threads(count, [&] {
        const Tensor y = log_softmax(x);
        const std::vector<Tensor> now{y, log_softmax(x, 0), log_softmax_backward(dy, y)};
        if (first.empty()) first = now;
        for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
      });
  }
}

BOOST_AUTO_TEST_CASE(log_softmax_of_nothing_is_nothing_and_bad_input_is_named) {
  for (const Shape& shape : {Shape{0}, {3, 0}, {0, 3}, {2, 0, 4}}) {
    BOOST_TEST(log_softmax(zeros(shape)).shape() == shape);
    BOOST_TEST(log_softmax_backward(zeros(shape), zeros(shape), 0).shape() == shape);
  }
  BOOST_TEST(error_of([] { log_softmax(zeros({2}, i64)); }) ==
             "log_softmax: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] {
               log_softmax_backward(zeros({2, 3}), zeros({3, 3}));
             }) == "log_softmax: dy is (2, 3) and y is (3, 3); they must be equal");
  BOOST_TEST(error_of([] { log_softmax(zeros({2}), 1); }) ==
             "log_softmax: axis 1 is outside of x, which is (2,); it has 1 dimensions, so axes run from -1 to 0");
}

BOOST_AUTO_TEST_SUITE_END()
