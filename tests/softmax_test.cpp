#include "tensor/softmax.h"

#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tensor/views.h"
#include "tests/close.h"

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
  const Tensor turned = transpose(dy);
  check_close(softmax_backward(turned, y), y * (turned - sum(y * turned, {-1}, true)), 1e-6);
}

BOOST_AUTO_TEST_CASE(empty_tensors_stay_empty) {
  for (const Shape& shape : {Shape{0}, {3, 0}, {0, 3}, {2, 0, 4}}) {
    BOOST_TEST(softmax(zeros(shape)).shape() == shape);
    BOOST_TEST(softmax_backward(zeros(shape), zeros(shape), 0).shape() == shape);
  }
}

BOOST_AUTO_TEST_SUITE_END()
