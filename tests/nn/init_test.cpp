#include "nn/init.h"

#include <cmath>

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

constexpr double kDraws = 0.01;  // 200,000 draws: a deviation is right to 1 / sqrt(2 * 200,000) = 0.0016
const Shape kShape{400, 500};    // (out, in)
const RandomKey kKey{.seed = 3, .site = 4};

Tensor drawn(const Init& init, const Shape& shape = kShape) { return init(shape, kKey); }
double deviation(const Tensor& x) {
  const double m = mean(cast(x, f64)).item();
  return std::sqrt(mean(cast(x * x, f64)).item() - m * m);
}
double largest(const Tensor& x) { return std::max(max(x).item(), max(neg(x)).item()); }

void check_moments(const Init& init, double want, const Shape& shape = kShape) {
  const Tensor x = drawn(init, shape);
  BOOST_TEST(x.shape() == shape);
  BOOST_TEST(x.dtype() == f32);
  BOOST_TEST(std::abs(mean(x).item()) < kDraws * want);
  BOOST_TEST(deviation(x) == want, boost::test_tools::tolerance(kDraws));
}

// The mean of z^4 / deviation^4: 3 for a normal, 1.8 for a uniform one.
double kurtosis(const Tensor& x) { return mean(x * x * x * x).item() / std::pow(deviation(x), 4); }

}  // namespace

BOOST_AUTO_TEST_SUITE(init_test)

BOOST_AUTO_TEST_CASE(deviations_are_those_of_the_formulas) {
  check_moments(init::normal(0.02), 0.02);
  check_moments(init::uniform(0.3), 0.3 / std::sqrt(3.0));
  check_moments(init::fan_in(), 1 / std::sqrt(3 * 500.0));
  check_moments(init::xavier(), std::sqrt(2.0 / 900));
  check_moments(init::kaiming(), std::sqrt(2.0 / 500));
  check_moments(init::depth_normal(0.02, 12), 0.02 / std::sqrt(24.0));
  BOOST_TEST(kurtosis(drawn(init::kaiming())) == 3, boost::test_tools::tolerance(0.03));
  BOOST_TEST(kurtosis(drawn(init::fan_in())) == 1.8, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(convolutions_count_their_whole_window) {
  check_moments(init::kaiming(), std::sqrt(2.0 / 500), {400, 100, 5});
  check_moments(init::fan_in(), 1 / std::sqrt(3 * 500.0), {400, 100, 5});
  check_moments(init::xavier(), std::sqrt(2.0 / (500 + 2000)), {400, 100, 5});
}

BOOST_AUTO_TEST_CASE(a_truncated_normal_ends_at_two_deviations) {
  const Tensor x = drawn(init::truncated_normal(0.5));
  BOOST_TEST(largest(x) <= 1);
  BOOST_TEST(largest(x) > 0.999);
  BOOST_TEST(deviation(x) == 0.5 * 0.87962566, boost::test_tools::tolerance(kDraws));
  BOOST_TEST(std::abs(mean(x).item()) < kDraws * 0.5);
  // a draw that lies inside at once is the plain normal's
  const auto got = x.to_vector<double>(), plain = drawn(init::normal(0.5)).to_vector<double>();
  long kept = 0;
  for (size_t e = 0; e < got.size(); e++) kept += got[e] == plain[e];
  BOOST_TEST(double(kept) / double(got.size()) == 0.9545, boost::test_tools::tolerance(kDraws));
}

BOOST_AUTO_TEST_CASE(orthogonal_matrices_have_orthonormal_rows_or_columns) {
  for (const Shape& shape : {Shape{1, 1}, {7, 7}, {5, 12}, {12, 5}, {200, 65}, {6, 2, 4}}) {
    const Tensor w = cast(reshape(drawn(init::orthogonal(2), shape), {shape[0], -1}), f64);
    const Tensor gram = w.size(0) <= w.size(1) ? matmul(w, transpose(w)) : matmul(transpose(w), w);
    for_each_index(gram.shape(), [&](const Shape& i) {
      BOOST_TEST(std::abs(gram.at(i) - (i[0] == i[1] ? 4 : 0)) < 1e-6);  // rounded to f32
    });
  }
}

BOOST_AUTO_TEST_CASE(orthogonal_matrices_are_drawn_uniformly) {
  // An element of a uniform n x n rotation has mean 0 and variance 1/n, at every place; without the sign rule the
  // diagonal would lean to one side.
  constexpr int kRuns = 2000, n = 3;
  Tensor total = zeros({n, n}), squares = zeros({n, n});
  for (uint32_t run = 0; run < kRuns; run++) {
    const Tensor q = init::orthogonal()({n, n}, {.seed = run});
    add_into(total, q / kRuns);
    add_into(squares, q * q / kRuns);
  }
  const double error = 4 / std::sqrt(double(kRuns));  // four deviations and more
  check_close(total, zeros({n, n}), error * std::sqrt(1.0 / n));
  check_close(squares, full({n, n}, 1.0 / n), error);
}

BOOST_AUTO_TEST_CASE(draws_depend_on_the_key_only) {
  for (const Init& init : {init::normal(1), init::truncated_normal(1), init::uniform(1), init::fan_in(), init::xavier(),
                           init::kaiming(), init::orthogonal(), init::depth_normal(1, 2)}) {
    const Tensor x = init({33, 57}, kKey);
    for (int count : {1, 2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(init({33, 57}, kKey), x)); });
    BOOST_TEST(!same_bits(init({33, 57}, {.seed = 4, .site = 4}), x));
    BOOST_TEST(!same_bits(init({33, 57}, {.seed = 3, .site = 5}), x));
  }
}

BOOST_AUTO_TEST_CASE(empty_shapes_are_legal) {
  for (const Init& init : {init::truncated_normal(1), init::fan_in(), init::xavier(), init::kaiming(),
                           init::orthogonal(), init::depth_normal(1, 2)})
    for (const Shape& shape : {Shape{0, 3}, {3, 0}, {0, 0}, {2, 0, 3}}) BOOST_TEST(init(shape, kKey).shape() == shape);
}

BOOST_AUTO_TEST_CASE(wrong_shapes_and_numbers_are_refused) {
  const std::string rule = "the shape is (3,); this initialiser is for (out, in) or (out, in, ...)";
  BOOST_TEST(error_of([] { init::fan_in()({3}, kKey); }) == "fan_in: " + rule);
  BOOST_TEST(error_of([] { init::xavier()({3}, kKey); }) == "xavier: " + rule);
  BOOST_TEST(error_of([] { init::kaiming()({3}, kKey); }) == "kaiming: " + rule);
  BOOST_TEST(error_of([] { init::orthogonal()({3}, kKey); }) == "orthogonal: " + rule);
  BOOST_TEST(error_of([] { init::depth_normal(0.02, 0); }) == "depth_normal: layers is 0; a stack has at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
