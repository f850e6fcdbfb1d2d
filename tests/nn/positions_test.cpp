#include "nn/positions.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-12;  // f64, angles up to 1000 radians

// Chunks of 1, 3 and 2 tokens at their offsets must give what the whole sequence of 6 gives, bit for bit.
template <class Positions> void check_chunks(Positions& positions, const Tensor& x) {
  Context ctx;
  const Tensor whole = positions.forward(x, ctx).value();
  std::vector<Tensor> parts;
  for (auto [begin, end] : {std::pair{0L, 1L}, {1L, 4L}, {4L, 6L}})
    parts.push_back(positions.forward(slice(x, 1, begin, end), ctx, begin).value());
  BOOST_TEST(same_bits(concatenate(parts, 1), whole));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(positions_test)

BOOST_AUTO_TEST_CASE(sinusoids_are_the_stated_formula) {
  const Tensor y = sinusoid_positions(5, 7, 3, f64);
  for_each_index(y.shape(), [&](const Shape& i) {
    const double p = double(i[0] + 3), w = std::pow(10000.0, -2.0 * double(i[1] / 2) / 7);
    BOOST_TEST(y.at(i) == (i[1] % 2 ? std::cos(p * w) : std::sin(p * w)), boost::test_tools::tolerance(1e-14));
  });
  check_close(sinusoid_positions(1, 4), tensor({0, 1, 0, 1}, {1, 4}), 0);
}

BOOST_AUTO_TEST_CASE(dot_products_of_sinusoids_depend_on_the_distance_only) {
  const Tensor near = sinusoid_positions(9, 16, 0, f64), far = sinusoid_positions(9, 16, 100, f64);
  check_close(matmul(near, transpose(near)), matmul(far, transpose(far)), kRounding);
}

BOOST_AUTO_TEST_CASE(sinusoids_are_added_at_any_offset_and_length) {
  SinusoidPositions positions;
  BOOST_TEST(positions.parameter_count() == 0);
  Context ctx;
  for (DType dtype : {f32, f64})
    for (auto [T, offset] : {std::pair{4L, 0L}, {300L, 0L}, {1L, 299L}, {1L, 300L}, {5L, -2L}, {0L, 3L}}) {
      const Tensor x = noise({2, T, 6}, 1, dtype);
      BOOST_TEST(same_bits(positions.forward(x, ctx, offset).value(), x + sinusoid_positions(T, 6, offset, dtype)));
    }
  check_chunks(positions, noise({2, 6, 3}));
}

BOOST_AUTO_TEST_CASE(learned_positions_are_rows_of_their_table) {
  LearnedPositions positions(8, 5);
  positions.cast_parameters(f64);
  BOOST_TEST(positions.parameter_count() == 40);
  Context ctx;
  const Tensor x = noise({2, 3, 5});
  check_close(positions.forward(x, ctx, 4).value(), x + slice(positions.weight.value(), 0, 4, 7), 0);
  check_close(positions.forward(zeros({2, 0, 5}, f64), ctx, 8).value(), zeros({2, 0, 5}), 0);
  check_chunks(positions, noise({2, 6, 5}));
  sum(positions.forward(x, ctx, 4)).backward();
  for (long p = 0; p < 8; p++) BOOST_TEST(positions.weight.grad().at({p, 0}) == (p >= 4 && p < 7 ? 2 : 0));
}

BOOST_AUTO_TEST_CASE(axial_positions_equal_the_explicit_table) {
  AxialPositions joined({3, 4}, 5, {.channels = {2, 3}}), summed({3, 2, 2}, 5, {.sum = true});
  BOOST_TEST(joined.parameter_count() == 3 * 2 + 4 * 3);
  BOOST_TEST(summed.parameter_count() == (3 + 2 + 2) * 5);
  auto table = [](Module& m, int axis) { return m.parameters()[size_t(axis)]->value.value(); };
  BOOST_TEST(joined.parameters()[1]->path == "axis_1");
  const Tensor a = joined.rows(12).value(), b = summed.rows(12).value();
  for (long p = 0; p < 12; p++)
    for (long c = 0; c < 5; c++) {
      BOOST_TEST(a.at({p, c}) == (c < 2 ? table(joined, 0).at({p / 4, c}) : table(joined, 1).at({p % 4, c - 2})));
      BOOST_TEST(b.at({p, c}) ==
                 double(float(float(table(summed, 0).at({p / 4, c}) + table(summed, 1).at({p / 2 % 2, c})) +
                              table(summed, 2).at({p % 2, c}))));
    }
  BOOST_TEST(same_bits(joined.rows(3, 7).value(), contiguous(slice(a, 0, 7, 10))));  // a part is a part of the whole
  Context ctx;
  const Tensor x = noise({2, 6, 5}, 1, f32);
  BOOST_TEST(same_bits(joined.forward(x, ctx, 2).value(), x + slice(a, 0, 2, 8)));
  check_chunks(joined, x);
  check_chunks(summed, x);
}

BOOST_AUTO_TEST_CASE(axial_positions_may_be_given_token_by_token) {
  AxialPositions axial({2, 3}, 4);
  Context ctx;
  const Tensor x = zeros({1, 6, 4}), all = axial.forward(x, ctx).value();
  const std::vector<int64_t> order = {5, 0, 3};
  const Tensor some = axial.forward(zeros({1, 3, 4}), from_vector(order, {1, 3})).value();
  for (size_t i = 0; i < order.size(); i++)
    check_close(contiguous(select(some, 1, long(i))), contiguous(select(all, 1, order[i])), 0);
  BOOST_TEST(
      error_of([&] {
        axial.forward(zeros({1, 1, 4}), from_vector(std::vector<int64_t>{6}, {1, 1}));
      }) ==
      "axial_positions: positions from 6 to 6 were given; there are positions 0 to 5. Make the module longer, or "
      "the positions smaller");
}

BOOST_AUTO_TEST_CASE(axial_gradients_of_a_row_sum_over_its_columns) {
  AxialPositions positions({3, 4}, 4);  // two equal parts
  sum(positions.rows(7)).backward();    // row 0 whole, three of row 1
  check_close(positions.parameters()[0]->value.grad(), tensor({4, 4, 3, 3, 0, 0}, {3, 2}), 0);
  check_close(positions.parameters()[1]->value.grad(), tensor({2, 2, 2, 2, 2, 2, 1, 1}, {4, 2}), 0);
}

BOOST_AUTO_TEST_CASE(positions_pass_gradcheck) {
  Context ctx;
  SinusoidPositions sinusoid;
  LearnedPositions learned(8, 4);
  AxialPositions axial({2, 3}, 4), summed({2, 3}, 4, {.sum = true});
  learned.cast_parameters(f64);
  axial.cast_parameters(f64);
  summed.cast_parameters(f64);
  const GradcheckOptions in_double{.f32_tolerance = 0};
  const std::vector<Tensor> x{noise({2, 3, 4})};
  BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return sinusoid.forward(x[0], ctx, 2); }, x));
  BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return learned.forward(x[0], ctx, 2); }, x, in_double));
  BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return axial.forward(x[0], ctx, 2); }, x, in_double));
  BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return summed.forward(x[0], ctx, 2); }, x, in_double));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_numbers) {
  Context ctx;
  LearnedPositions learned(8, 4);
  AxialPositions axial({2, 3}, 4);
  BOOST_TEST(
      error_of([&] {
        learned.forward(zeros({1, 5, 4}), ctx, 4);
      }) ==
      "learned_positions: 5 tokens were given at offset 4; there are positions 0 to 7. Make the module longer, or "
      "the sequence shorter");
  BOOST_TEST(
      error_of([&] {
        axial.forward(zeros({1, 1, 4}), ctx, -1);
      }) ==
      "axial_positions: 1 tokens were given at offset -1; there are positions 0 to 5. Make the module longer, or "
      "the sequence shorter");
  BOOST_TEST(error_of([&] {
               learned.forward(zeros({1, 5, 3}), ctx);
             }) == "learned_positions: x is (1, 5, 3); it must be (B, T, 4)");
  BOOST_TEST(error_of([&] { SinusoidPositions().forward(zeros({3}), ctx); }) ==
             "sinusoid_positions: x is (3,); it must be (B, T, C)");
  BOOST_TEST(error_of([&] {
               AxialPositions({2, 3}, 5);
             }) ==
             "axial_positions: C is 5 and there are 2 axes (2, 3); C cannot be cut into equal parts. Name them: "
             "{.channels = ...}");
  BOOST_TEST(error_of([&] {
               AxialPositions({2, 3}, 5, {.channels = {2, 2}});
             }) ==
             "axial_positions: the axes are (2, 3), the channels are (2, 2) and C is 5; there must be one number of "
             "channels per axis, and their sum must be C");
  BOOST_TEST(error_of([&] {
               AxialPositions({2, 3}, 5, {.channels = {2, 3}, .sum = true});
             }) ==
             "axial_positions: the channels are (2, 3) and sum is set; summed tables all have C channels. Leave one of "
             "the two out");
  BOOST_TEST(error_of([&] { AxialPositions({}, 5); }) ==
             "axial_positions: there are no axes; name at least one size, as {rows, columns}");
}

BOOST_AUTO_TEST_CASE(positions_of_no_tokens_are_legal_and_bits_do_not_depend_on_threads) {
  Context ctx;
  SinusoidPositions sinusoid;
  LearnedPositions learned(701, 66);
  AxialPositions axial({27, 26}, 66);
  auto all = [&](const Tensor& x) {
    return std::vector<Tensor>{sinusoid.forward(x, ctx).value(), learned.forward(x, ctx).value(),
                               axial.forward(x, ctx).value()};
  };
  for (const Tensor& y : all(zeros({2, 0, 66}))) BOOST_TEST(y.shape() == (Shape{2, 0, 66}));
  const Tensor x = noise({3, 701, 66}, 1, f32);
  std::vector<Tensor> first;
  on_threads(1, [&] { first = all(x); });
  for (int count : {2, 3})
    on_threads(count, [&] {
      const auto again = all(x);
      for (size_t i = 0; i < first.size(); i++) BOOST_TEST(same_bits(first[i], again[i]));
    });
}

BOOST_AUTO_TEST_SUITE_END()
