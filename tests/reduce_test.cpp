#include "tensor/reduce.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/views.h"
#include "tests/close.h"

using namespace heed;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
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
      std::vector<double> sums, tops, places;
      for (const auto& [index, values] : groups(x, axes)) {
        double total = 0;
        for (double value : values) total += value;
        const auto top = std::max_element(values.begin(), values.end());
        sums.push_back(total);
        tops.push_back(*top);
        places.push_back(double(top - values.begin()));
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
}

BOOST_AUTO_TEST_CASE(scalars_reduce_to_themselves) {
  BOOST_TEST(sum(scalar(3)).item() == 3);
  BOOST_TEST(mean(scalar(3)).item() == 3);
  BOOST_TEST(max(scalar(3)).item() == 3);
}

BOOST_AUTO_TEST_CASE(of_equal_elements_the_first_is_the_maximum_and_nan_wins) {
  BOOST_TEST(argmax(tensor({1, 3, 3, 2})).item() == 1);
  BOOST_TEST(argmax(tensor({1, kNan, 3, kNan})).item() == 1);
  BOOST_TEST(std::isnan(max(tensor({kNan, 5})).item()));
  BOOST_TEST(std::isnan(max(tensor({5, kNan, 6})).item()));
  const double inf = std::numeric_limits<double>::infinity();
  BOOST_TEST(max(tensor({-inf, -inf})).item() == -inf);
  BOOST_TEST(argmax(reshape(tensor({0, 2, 1, 5, 4, 3}), {2, 3}), 1).to_vector<int>() == (std::vector<int>{1, 0}));
  BOOST_TEST(argmax(reshape(tensor({0, 2, 1, 5, 4, 3}), {2, 3}), 0, true).shape() == (Shape{1, 3}));
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

BOOST_AUTO_TEST_SUITE_END()
