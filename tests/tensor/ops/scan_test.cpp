#include "autograd/ops/scan.h"

#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
// A running sum in double, rounded once to f32; in f64 another order of additions.
double rounding(DType dtype) { return dtype == f32 ? 1e-7 : 1e-11; }

// By the definition, one place after the other: y[i] = step(y[i - 1], x[i])
Tensor scanned(const Tensor& x, int axis, bool reverse, FunctionRef<double(double, double)> step) {
  std::vector<double> y = x.to_vector<double>();
  const long n = x.size(axis), stride = row_major(x.shape())[axis], back = reverse ? -stride : stride;
  for (long k = 0; k < x.numel(); k++) {
    const long e = reverse ? x.numel() - 1 - k : k, i = e / stride % n;
    if (i != (reverse ? n - 1 : 0)) y[size_t(e)] = step(y[size_t(e - back)], y[size_t(e)]);
  }
  return from_vector(y, x.shape());
}

constexpr auto add_up = [](double a, double b) { return a + b; };
constexpr auto larger = [](double a, double b) { return a != a || a >= b ? a : b; };

}  // namespace

BOOST_AUTO_TEST_SUITE(scan_test)

BOOST_AUTO_TEST_CASE(scans_equal_the_definition_along_any_axis_of_any_layout) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = noise({4, 5, 6}, 1, dtype);
    for (const Tensor& view : {x, transpose(x), permute(x, {2, 0, 1}), slice(x, 2, 0, 6, 2),
                               expand(slice(x, 1, 0, 1), {4, 3, 6}), slice(x, 0, 1, 2)})
      for (int axis = 0; axis < 3; axis++) {
        BOOST_TEST_INFO_SCOPE(view.shape() << " axis " << axis);
        for (bool reverse : {false, true}) {
          const Tensor y = cumsum(view, axis, reverse);
          BOOST_TEST(y.dtype() == dtype);
          check_close(y, scanned(view, axis, reverse, add_up), rounding(dtype));
          BOOST_TEST(same_bits(y, cumsum(view, axis - 3, reverse)));
        }
        check_close(cumulative_max(view, axis).values, scanned(view, axis, false, larger), 0);
      }
  }
}

BOOST_AUTO_TEST_CASE(long_rows_that_are_cut_into_blocks_equal_the_definition) {
  for (const Shape& shape :
       {Shape{1, 20001, 1}, {2, 8193, 1}, {3, 8192, 1}, {1, 300, 70}, {1, 3001, 3}, {1, 129, 64}, {40, 300, 2}})
    for (DType dtype : {f32, f64}) {
      BOOST_TEST_INFO_SCOPE(shape << " " << dtype);
      const Tensor x = noise(shape, 1, dtype);
      for (bool reverse : {false, true})
        check_close(cumsum(x, 1, reverse), scanned(x, 1, reverse, add_up), rounding(dtype));
      const MaxResult top = cumulative_max(x, 1);
      check_close(top.values, scanned(x, 1, false, larger), 0);
      const auto values = x.to_vector<double>(), best = top.values.to_vector<double>();
      const auto places = top.indices.to_vector<int64_t>();
      bool right = true;
      for (long e = 0; e < x.numel(); e++) {
        const long i = e / shape[2] % shape[1], p = places[size_t(e)];
        right = right && p <= i && values[size_t(e - (i - p) * shape[2])] == best[size_t(e)];
      }
      BOOST_TEST(right);
    }
}

BOOST_AUTO_TEST_CASE(a_million_floats_are_added_up_accurately) {
  const Tensor y = cumsum(full({1000000}, 0.1), 0);
  check_close(select(y, 0, 999999), scalar(1e6 * double(0.1f), f64), 1e-7);
}

BOOST_AUTO_TEST_CASE(of_equal_elements_the_first_is_the_cumulative_maximum_and_nan_wins) {
  const auto [values, indices] = cumulative_max(tensor({-kInf, -kInf, 2, 1, 2, 3, kNan, 5, kNan}), 0);
  check_close(values, tensor({-kInf, -kInf, 2, 2, 2, 3, kNan, kNan, kNan}), 0);
  BOOST_TEST(indices.to_vector<int>() == (std::vector<int>{0, 0, 2, 2, 2, 5, 6, 6, 6}));
  BOOST_TEST(indices.dtype() == i64);
  // the same where the maximum and NaN stand in an earlier block
  Tensor row = zeros({30000});
  fill(select(row, 0, 5), 1);
  fill(select(row, 0, 20000), kNan);
  const MaxResult far = cumulative_max(row, 0);
  BOOST_TEST(far.indices.at({19999}) == 5);
  BOOST_TEST(far.indices.at({29999}) == 20000);
  BOOST_TEST(std::isnan(far.values.at({29999})));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_run_on_through_a_sum) {
  check_close(cumsum(tensor({1, kInf, 1, -kInf, 1}), 0), tensor({1, kInf, kInf, kNan, kNan}), 0);
}

BOOST_AUTO_TEST_CASE(scans_of_nothing_are_empty_and_one_element_stays) {
  for (const Shape& shape : {Shape{0}, {3, 0}, {0, 3}, {2, 0, 4}})
    for (int axis = 0; axis < shape.dims(); axis++) {
      BOOST_TEST(cumsum(zeros(shape), axis).shape() == shape);
      BOOST_TEST(cumulative_max(zeros(shape), axis).indices.shape() == shape);
      BOOST_TEST(cumulative_max_backward(zeros(shape), zeros(shape, i64), axis).shape() == shape);
    }
  check_close(cumsum(tensor({3}), 0, true), tensor({3}), 0);
  check_close(cumulative_max(tensor({3}), 0).values, tensor({3}), 0);
}

BOOST_AUTO_TEST_CASE(scans_pass_gradcheck) {
  for (const Shape& shape : {Shape{7}, {1}, {3, 5}, {2, 4, 3}, {2, 0, 3}})
    for (int axis = -shape.dims(); axis < shape.dims(); axis++) {
      BOOST_TEST_INFO_SCOPE(shape << " axis " << axis);
      for (bool reverse : {false, true})
        BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return cumsum(x[0], axis, reverse); }, {noise(shape)}));
      BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return cumulative_max(x[0], axis).values; }, {noise(shape)}));
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_cumulative_maximum_gathers_where_it_stands) {
  const Tensor indices = cumulative_max(tensor({1, 0, 3, 2, 3}), 0).indices;
  check_close(cumulative_max_backward(tensor({1, 2, 3, 4, 5}), indices, 0), tensor({3, 0, 12, 0, 0}), 0);
}

BOOST_AUTO_TEST_CASE(scans_have_the_same_bits_for_any_thread_count) {
  for (DType dtype : {f32, f64})
    for (const Shape& shape : {Shape{1, 100003, 1}, {3, 40009, 1}, {1, 9973, 101}, {257, 513, 1}, {5, 997, 3}}) {
      const Tensor x = noise(shape, 1, dtype), dy = noise(shape, 2, dtype);
      std::vector<Tensor> first;
      for (int count : {1, 2, 3})
        on_threads(count, [&] {
          const MaxResult top = cumulative_max(x, 1);
          const std::vector<Tensor> now{cumsum(x, 1), cumsum(x, 1, true), top.values, top.indices,
                                        cumulative_max_backward(dy, top.indices, 1)};
          if (first.empty()) first = now;
          for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
        });
    }
}

BOOST_AUTO_TEST_CASE(bad_scans_say_what_is_wrong) {
  BOOST_TEST(error_of([] {
               cumsum(zeros({2, 3}), 2);
             }) == "cumsum: axis 2 is outside of x, which is (2, 3); it has 2 dimensions, so axes run from -2 to 1");
  BOOST_TEST(error_of([] { cumsum(zeros({2}, i64), 0); }) ==
             "cumsum: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { cumulative_max(scalar(1), 0); }) ==
             "cumulative_max: axis 0 is outside of x, which is (); it has 0 dimensions");
  BOOST_TEST(error_of([] { cumulative_max_backward(zeros({2}), zeros({3}, i64), 0); }) ==
             "cumulative_max: dy is (2,) and the indices are (3,); they must be those of cumulative_max");
  error_of([] { cumsum(Tensor(), 0); });
}

BOOST_AUTO_TEST_SUITE_END()
