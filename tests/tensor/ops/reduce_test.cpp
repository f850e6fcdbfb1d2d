#include "autograd/ops/reduce.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "autograd/ops/elementwise.h"
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
constexpr double kRounding = 1e-13;  // a few dozen additions in double, in another order

const Shape kAxes[] = {{},     {0},    {1},    {2},    {3},    {-1},      {0, 1},      {1, 2},
                       {2, 3}, {0, 2}, {1, 3}, {0, 3}, {3, 0}, {0, 1, 3}, {0, 1, 2, 3}};

bool contains(const Shape& axes, int axis, int dims) {
  bool found = axes.dims() == 0;
  for (long a : axes) found |= a == axis || a + dims == axis;
  return found;
}

// By the definition: groups the elements of x by the index that is left of theirs, in row-major order.
std::map<std::vector<long>, std::vector<double>> groups(const Tensor& x, const Shape& axes) {
  std::map<std::vector<long>, std::vector<double>> all;
  for_each_index(x.shape(), [&](const Shape& index) {
    std::vector<long> kept;
    for (int i = 0; i < x.dims(); i++)
      if (!contains(axes, i, x.dims())) kept.push_back(index[i]);
    all[kept].push_back(x.at(index));
  });
  return all;
}

Shape shape_left(const Shape& shape, const Shape& axes, bool keep) {
  Shape left;
  for (int i = 0; i < shape.dims(); i++) {
    const bool gone = contains(axes, i, shape.dims());
    if (!gone || keep) left.push_back(gone ? 1 : shape[i]);
  }
  return left;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reduce_test)

BOOST_AUTO_TEST_CASE(any_axes_of_any_layout_reduce_as_defined) {
  const Tensor base = noise({3, 4, 2, 5});
  for (const Tensor& x : {base, transpose(base), permute(base, {2, 0, 3, 1}), slice(base, 1, 0, 4, 2),
                          expand(slice(base, 2, 1, 2), {3, 4, 3, 5})})
    for (const Shape& axes : kAxes) {
      BOOST_TEST_INFO_SCOPE("x " << x.shape() << " axes " << axes);
      std::vector<double> sums, tops, places, bottoms, lows, variances, logs;
      for (const auto& [index, values] : groups(x, axes)) {
        double total = 0;
        for (double value : values) total += value;
        const auto top = std::max_element(values.begin(), values.end());
        sums.push_back(total);
        tops.push_back(*top);
        places.push_back(double(top - values.begin()));
        const auto bottom = std::min_element(values.begin(), values.end());
        bottoms.push_back(*bottom);
        lows.push_back(double(bottom - values.begin()));
        const double middle = total / double(values.size());
        double squares = 0, exps = 0;
        for (double value : values) squares += (value - middle) * (value - middle), exps += std::exp(value);
        variances.push_back(squares / double(values.size()));
        logs.push_back(std::log(exps));
      }
      const double count = double(x.numel()) / double(sums.size());
      for (bool keep : {false, true}) {
        const Shape left = shape_left(x.shape(), axes, keep);
        const Tensor total = from_vector(sums, left);
        check_close(sum(x, axes, keep), total, kRounding);
        check_close(mean(x, axes, keep), total / count, kRounding);
        const MaxResult top = max_with_indices(x, axes, keep);
        check_close(top.values, from_vector(tops, left), 0);
        check_close(top.indices, from_vector(places, left), 0);
        BOOST_TEST(top.indices.dtype() == i64);
        const MinResult bottom = min_with_indices(x, axes, keep);
        check_close(bottom.values, from_vector(bottoms, left), 0);
        check_close(bottom.indices, from_vector(lows, left), 0);
        const Tensor spread = from_vector(variances, left);
        check_close(variance(x, axes, 0, keep), spread, kRounding);
        if (count > 1) check_close(variance(x, axes, 1, keep), spread * (count / (count - 1)), kRounding);
        check_close(logsumexp(x, axes, keep), from_vector(logs, left), kRounding);
      }
    }
}

BOOST_AUTO_TEST_CASE(sums_that_need_several_blocks_are_right) {  // every way the kernel cuts: (outer, count, inner)
  for (const Shape& shape : {Shape{1, 20000, 1}, {3, 8193, 1}, {1, 100, 300}, {2, 33, 9000}, {2, 5000, 3}, {50, 1, 70}})
    for (DType dtype : {f32, f64}) {
      const Tensor x = noise(shape, 1, dtype), y = sum(x, {1});
      std::vector<double> want(size_t(shape[0] * shape[2]));
      const auto values = x.to_vector<double>();
      for (long o = 0, e = 0; o < shape[0]; o++)
        for (long i = 0; i < shape[1]; i++)
          for (long j = 0; j < shape[2]; j++) want[size_t(o * shape[2] + j)] += values[size_t(e++)];
      check_close(y, from_vector(want, {shape[0], shape[2]}), dtype == f32 ? 1e-4 : 1e-11);
    }
}

BOOST_AUTO_TEST_CASE(a_million_floats_are_summed_accurately) {
  // Added one after the other they give 100958, wrong by 1e-2. A row has 16 lanes of 512 additions in a block, two
  // columns 4096 additions each; equal numbers are the worst case, because all roundings go the same way.
  constexpr double kRow = 1e-5, kColumns = 1e-4;
  const double exact = 1e6 * double(0.1f);
  for (const Shape& shape : {Shape{1000000}, {1000, 1000}})
    check_close(sum(full(shape, 0.1)), scalar(exact, f64), kRow);
  check_close(sum(full({1000000, 2}, 0.1), {0}), full({2}, exact, f64), kColumns);
}

BOOST_AUTO_TEST_CASE(nothing_sums_to_zero_has_no_mean_and_no_maximum) {
  BOOST_TEST(sum(zeros({0})).item() == 0);
  check_close(sum(zeros({2, 0, 3}), {1}), zeros({2, 3}), 0);
  check_close(mean(zeros({2, 0}), {1}), full({2}, kNan), 0);
  BOOST_TEST(sum(zeros({2, 0, 3}), {0}).shape() == (Shape{0, 3}));
  BOOST_TEST(max(zeros({2, 0}), {0}).shape() == Shape{0});
  BOOST_TEST(error_of([] {
               max(zeros({2, 0}), {1});
             }) == "max: x is (2, 0); the maximum of no elements is not defined");
  BOOST_TEST(error_of([] { max(zeros({0})); }) == "max: x is (0,); the maximum of no elements is not defined");
  BOOST_TEST(error_of([] { min(zeros({0})); }) == "min: x is (0,); the minimum of no elements is not defined");
  BOOST_TEST(std::isnan(variance(zeros({0})).item()));
  check_close(logsumexp(zeros({2, 0}), {1}, true), full({2, 1}, -kInf), 0);
  BOOST_TEST(logsumexp(zeros({2, 0}), {0}).shape() == Shape{0});
}

BOOST_AUTO_TEST_CASE(scalars_reduce_to_themselves) {
  BOOST_TEST(sum(scalar(3)).item() == 3);
  BOOST_TEST(mean(scalar(3)).item() == 3);
  BOOST_TEST(max(scalar(3)).item() == 3);
  BOOST_TEST(min(scalar(3)).item() == 3);
  BOOST_TEST(logsumexp(scalar(3)).item() == 3);
  BOOST_TEST(variance(scalar(3)).item() == 0);
  BOOST_TEST(std::isnan(variance(scalar(3), {}, 1).item()));
}

BOOST_AUTO_TEST_CASE(of_equal_elements_the_first_is_the_maximum_and_nan_wins) {
  BOOST_TEST(argmax(tensor({1, 3, 3, 2})).item() == 1);
  BOOST_TEST(argmax(tensor({1, kNan, 3, kNan})).item() == 1);
  BOOST_TEST(std::isnan(max(tensor({kNan, 5})).item()));
  BOOST_TEST(std::isnan(max(tensor({5, kNan, 6})).item()));
  BOOST_TEST(max(tensor({-kInf, -kInf})).item() == -kInf);
  BOOST_TEST(argmin(tensor({1, 0, 3, 0})).item() == 1);
  BOOST_TEST(argmax(scalar(3)).item() == 0);
  BOOST_TEST(argmax(tensor({1, 2, 9, 3}, {2, 2})).item() == 2);  // no axes: among all elements
  BOOST_TEST(argmin(tensor({1, kNan, 0, kNan})).item() == 1);
  BOOST_TEST(std::isnan(min(tensor({5, kNan, 6})).item()));
  BOOST_TEST(min(tensor({kInf, kInf})).item() == kInf);
  BOOST_TEST(argmax(reshape(tensor({0, 2, 1, 5, 4, 3}), {2, 3}), {1}).to_vector<int>() == (std::vector<int>{1, 0}));
  BOOST_TEST(argmax(reshape(tensor({0, 2, 1, 5, 4, 3}), {2, 3}), {0}, true).shape() == (Shape{1, 3}));
}

BOOST_AUTO_TEST_CASE(the_first_best_is_found_wherever_it_stands) {  // rows of every length around vectors and blocks
  for (DType dtype : {f32, f64})
    for (long n : {1L, 5L, 31L, 32L, 33L, 64L, 100L, 65537L, 2200001L})
      for (long at : {0L, n / 3, n / 2, n - 1}) {
        const Tensor row = full({n}, -2, dtype), columns = full({n, 3}, -2, dtype);
        const auto found = [&](double value, long from) {
          fill(slice(row, 0, from, n), value);
          fill(slice(slice(columns, 0, from, n), 1, 1, 2), value);
          const MaxResult top = max_with_indices(row), low = min_with_indices(neg(row));
          const MaxResult tops = max_with_indices(columns, {0});
          BOOST_TEST(top.values.item() == value);
          BOOST_TEST(top.indices.item() == double(from));
          BOOST_TEST(low.indices.item() == double(from));
          BOOST_TEST(tops.indices.to_vector<long>() == (std::vector<long>{0, from, 0}));
        };
        found(-1, at);
        found(kInf, n - 1);
        fill(slice(row, 0, at, at + 1), kNan);
        BOOST_TEST(std::isnan(max(row).item()));
        BOOST_TEST(argmax(row).item() == double(at));
        BOOST_TEST(argmin(row).item() == double(at));
      }
  BOOST_TEST(argmax(tensor({-0.0, 0.0})).item() == 0);
  BOOST_TEST(std::signbit(max(tensor({-0.0, 0.0})).item()));
}

BOOST_AUTO_TEST_CASE(gradients_repeat_share_or_pick) {
  const Tensor x = permute(noise({3, 4, 2, 5}), {1, 0, 3, 2});
  for (const Shape& axes : kAxes)
    for (bool keep : {false, true}) {
      BOOST_TEST_INFO_SCOPE("axes " << axes << " keep " << keep);
      const MaxResult top = max_with_indices(x, axes, keep);
      const Tensor dy = noise(top.values.shape(), 2);
      const Tensor wide = sum_backward(dy, x.shape(), axes);
      BOOST_TEST(wide.storage() == dy.storage());
      check_close(wide, expand(reshape(dy, shape_left(x.shape(), axes, true)), x.shape()), 0);
      check_close(mean_backward(dy, x.shape(), axes), wide * (double(dy.numel()) / double(x.numel())), kRounding);
      // dy where x is the maximum (x has no two equal elements), 0 elsewhere
      const Tensor tops = expand(reshape(top.values, shape_left(x.shape(), axes, true)), x.shape());
      const Tensor dx = max_backward(dy, top.indices, x.shape(), axes);
      for_each_index(x.shape(),
                     [&](const Shape& i) { BOOST_TEST(dx.at(i) == (x.at(i) == tops.at(i) ? wide.at(i) : 0)); });
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_minimum_goes_where_it_stands) {
  const Tensor x = tensor({3, 1, 1, 2, 5, 4}, {2, 3}), at = min_with_indices(x, {1}).indices;
  check_close(min_backward(tensor({7, 8}), at, {2, 3}, {1}), tensor({0, 7, 0, 8, 0, 0}, {2, 3}), 0);
}

BOOST_AUTO_TEST_CASE(variance_does_not_cancel_far_from_zero) {
  // 1e6 +- 1 in f32: the mean of the squares minus the square of the mean has no digit left
  const Tensor x = tensor({1e6 + 1, 1e6 - 1, 1e6 + 1, 1e6 - 1});
  check_close(variance(x), scalar(1), 0);
  check_close(variance(x, {}, 1), scalar(4. / 3), 1e-6);
}

BOOST_AUTO_TEST_CASE(logsumexp_neither_overflows_nor_makes_nan_of_infinities) {
  constexpr double kLastBits = 1e-6;  // of f32
  for (DType dtype : {f32, f64}) {
    check_close(logsumexp(tensor({1e4, 1e4}, dtype)), scalar(1e4 + std::log(2)), kLastBits);
    check_close(logsumexp(tensor({-1e4, -1e4}, dtype)), scalar(-1e4 + std::log(2)), kLastBits);
    const Tensor x = tensor({-kInf, -kInf, -kInf, 1, kInf, 2, kNan, 2}, {4, 2}, dtype), y = logsumexp(x, {1});
    check_close(y, tensor({-kInf, 1, kInf, kNan}), 0);
    const Tensor dx = logsumexp_backward(ones({4}, dtype), x, y, {1});
    check_close(slice(dx, 0, 0, 2), tensor({0, 0, 0, 1}, {2, 2}), 0);  // nothing visible: zero gradient
  }
}

BOOST_AUTO_TEST_CASE(variance_logsumexp_and_min_have_the_same_bits_for_any_thread_count) {
  for (const Shape& shape : {Shape{1, 100003, 1}, {7, 1641, 3}, {1, 997, 101}}) {
    const Tensor x = noise(shape, 1, f32), dy = noise({shape[0], shape[2]}, 2, f32);
    std::vector<Tensor> first;
    for (int count : {1, 2, 3})
      on_threads(count, [&] {
        const Tensor y = logsumexp(x, {1});
        const MinResult low = min_with_indices(x, {1});
        const std::vector<Tensor> now{y,
                                      logsumexp_backward(dy, x, y, {1}),
                                      variance(x, {1}),
                                      variance_backward(dy, x, {1}),
                                      low.values,
                                      low.indices,
                                      min_backward(dy, low.indices, shape, {1})};
        if (first.empty()) first = now;
        for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
      });
  }
}

BOOST_AUTO_TEST_CASE(bad_reductions_say_what_is_wrong) {
  const std::string cast_first = ": x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)";
  const Tensor x = zeros({2, 3}), integers = zeros({2}, i64);
  BOOST_TEST(error_of([&] { variance(integers); }) == "variance" + cast_first);
  BOOST_TEST(error_of([&] { logsumexp(integers); }) == "logsumexp" + cast_first);
  BOOST_TEST(error_of([&] { min(integers); }) == "min" + cast_first);
  BOOST_TEST(error_of([&] { variance_backward(zeros({3}), x, {1}); }) ==
             "variance: x is (2, 3) and dy is (3,); with the axes (1,) dy must be (2,)");
  BOOST_TEST(error_of([&] { logsumexp_backward(zeros({2}), x, zeros({3}), {1}); }) ==
             "logsumexp: dy is (2,) and y is (3,); they must be equal");
  BOOST_TEST(error_of([&] {
               min_backward(zeros({2}), zeros({3}, i64), {2, 3}, {1});
             }) == "min: dy is (2,) and the indices are (3,); they must be those of min_with_indices");
  BOOST_TEST(error_of([&] { logsumexp(x, {2}); }) ==
             "logsumexp: axis 2 is outside of x, which is (2, 3); it has 2 dimensions, so axes run from -2 to 1");
}

BOOST_AUTO_TEST_CASE(sum_to_undoes_broadcasting) {
  for (const Shape& shape : {Shape{}, {1}, {5}, {4, 5}, {4, 1}, {1, 5}, {3, 1, 1}, {1, 4, 5}, {3, 4, 5}}) {
    const Tensor x = noise({3, 4, 5}), y = sum_to(x, shape);
    // <expand(z), x> = <z, sum_to(x)> defines it
    const Tensor z = noise(shape, 9);
    BOOST_TEST(y.shape() == shape);
    check_close(sum(z * y), sum(z * x), kRounding);
  }
  BOOST_TEST(sum_to(zeros({0, 3}), {1, 3}).to_vector<int>() == (std::vector<int>{0, 0, 0}));
  BOOST_TEST(error_of([] { sum_to(zeros({3}), {2, 3}); }) == "sum_to: x is (3,) and (2, 3) does not broadcast to it");
}

BOOST_AUTO_TEST_CASE(one_axis_may_be_given_as_a_number) {
  const Tensor x = tensor({1, 5, 2, 4, 3, 0}, {2, 3});
  BOOST_TEST((argmax(x, -1).to_vector<int64_t>() == std::vector<int64_t>{1, 0}));
  BOOST_TEST((argmin(x, 1, true).shape() == Shape{2, 1}));
  BOOST_TEST((sum(x, 0).to_vector<float>() == std::vector<float>{5, 8, 2}));
  BOOST_TEST(argmax(x, {}).item() == 1);  // all axes, as before
  const Variable v = x;
  BOOST_TEST((max(v, -1).value().to_vector<float>() == std::vector<float>{5, 4}));
  BOOST_TEST((mean(v, 1L, true).shape() == Shape{2, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
