#include "autograd/ops/sort.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/gather.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The definition for one row, by insertion: a number stands before every equal or worse one that comes later.
std::vector<int64_t> order_of(const std::vector<double>& x, bool descending) {
  auto before = [&](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return descending ? a > b : a < b;
  };
  std::vector<int64_t> order;
  for (size_t i = 0; i < x.size(); i++) {
    auto at = order.end();
    while (at != order.begin() && before(x[i], x[size_t(at[-1])])) --at;
    order.insert(at, int64_t(i));
  }
  return order;
}

// Numbers with many ties; every ninth is NaN where the type has one.
Tensor with_ties(const Shape& shape, DType dtype, uint32_t seed = 1) {
  std::vector<double> values = noise(shape, seed).to_vector<double>();
  for (size_t i = 0; i < values.size(); i++)
    values[i] = is_maths(dtype) && i % 9 == 4 ? NAN : std::round(2 * values[i]) + (dtype == u8 ? 9 : 0);
  return cast(from_vector(values, shape), dtype);
}

// Sorts and takes the best k of every row of x along `axis`, one after the other.
void check_against_definition(const Tensor& x, int axis, bool descending) {
  const SortResult all = sort(x, axis, descending);
  BOOST_TEST((all.values.shape() == x.shape() && all.indices.shape() == x.shape() && all.values.dtype() == x.dtype()));
  BOOST_TEST(same_bits(all.values, gather(x, axis, all.indices)));
  BOOST_TEST(same_bits(argsort(x, axis, descending), all.indices));
  const Tensor rows = transpose(x, axis, -1), indices = transpose(all.indices, axis, -1);
  Shape outer = rows.shape();
  const long n = outer.back();
  outer.erase(outer.dims() - 1);
  for_each_index(outer, [&](const Shape& at) {
    Tensor row = rows, got = indices;
    for (long i : at) row = select(row, 0, i), got = select(got, 0, i);
    BOOST_TEST(got.to_vector<int64_t>() == order_of(row.to_vector<double>(), descending));
  });
  for (long k : {0L, 1L, n / 2, n}) {
    const SortResult best = topk(x, k, axis, descending);
    BOOST_TEST(same_bits(best.values, slice(all.values, axis, 0, k)));
    BOOST_TEST(same_bits(best.indices, slice(all.indices, axis, 0, k)));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sort_test)

BOOST_AUTO_TEST_CASE(sort_and_topk_are_stable_along_any_axis_of_any_layout_and_type) {
  for (DType dtype : {f32, f64, i64, i32, u8, boolean}) {
    const Tensor base = with_ties({5, 7, 3}, dtype);
    for (const Tensor& x : {base, transpose(base), expand(slice(base, 1, 0, 1), {5, 4, 3}), slice(base, 1, 0, 7, 2)})
      for (int axis : {0, 1, -1})
        for (bool descending : {false, true}) check_against_definition(x, axis, descending);
  }
}

BOOST_AUTO_TEST_CASE(sort_of_long_rows_is_stable) {
  for (bool descending : {false, true}) check_against_definition(with_ties({2, 1009}, f32), 1, descending);
}

BOOST_AUTO_TEST_CASE(nan_is_last_in_both_directions) {
  const Tensor x = tensor({NAN, 1, -kInf, NAN, kInf, 0, -0.0}, f64);
  BOOST_TEST(argsort(x).to_vector<int64_t>() == (std::vector<int64_t>{2, 5, 6, 1, 4, 0, 3}));
  BOOST_TEST(argsort(x, 0, true).to_vector<int64_t>() == (std::vector<int64_t>{4, 1, 5, 6, 2, 0, 3}));
  BOOST_TEST(topk(x, 2).indices.to_vector<int64_t>() == (std::vector<int64_t>{4, 1}));
  BOOST_TEST(topk(x, 6, 0, false).indices.to_vector<int64_t>() == (std::vector<int64_t>{2, 5, 6, 1, 4, 0}));
}

BOOST_AUTO_TEST_CASE(large_integers_keep_all_their_bits) {
  const int64_t big = (1L << 53) + 1, low = std::numeric_limits<int64_t>::min();
  const Tensor x = from_vector(std::vector<int64_t>{big, big - 1, low, std::numeric_limits<int64_t>::max()}, {4});
  auto values = sort(x).values.to_vector<int64_t>(), want = x.to_vector<int64_t>();
  std::sort(want.begin(), want.end());
  BOOST_TEST(values == want);
}

BOOST_AUTO_TEST_CASE(nothing_and_one_element_can_be_sorted) {
  BOOST_TEST(sort(zeros({0})).values.shape() == (Shape{0}));
  BOOST_TEST(sort(zeros({3, 0, 2}), 1).indices.shape() == (Shape{3, 0, 2}));
  BOOST_TEST(sort(zeros({3, 0, 2}), 0).values.shape() == (Shape{3, 0, 2}));
  BOOST_TEST(topk(zeros({3, 4}), 0).values.shape() == (Shape{3, 0}));
  BOOST_TEST(topk(zeros({0, 4}), 2).indices.shape() == (Shape{0, 2}));
  BOOST_TEST(same_bits(sort(tensor({7})).values, tensor({7})));
}

BOOST_AUTO_TEST_CASE(unique_counts_counts_every_value_once) {
  const Tensor x = tensor({3, -1, 3, 0, -1, 3}, {2, 3}, i32);
  for (const Tensor& layout : {x, transpose(x)}) {
    const UniqueCounts u = unique_counts(layout);
    BOOST_TEST(same_bits(u.values, tensor({-1, 0, 3}, i32)));
    BOOST_TEST(same_bits(u.counts, tensor({2, 1, 3}, i64)));
  }
  BOOST_TEST(same_bits(unique_counts(tensor({1, 0, 1}, boolean)).values, tensor({0, 1}, boolean)));
  BOOST_TEST(same_bits(unique_counts(tensor({255, 2, 255}, u8)).counts, tensor({1, 2}, i64)));
  BOOST_TEST(same_bits(unique_counts(scalar(4, i64)).counts, tensor({1}, i64)));
  BOOST_TEST(unique_counts(zeros({2, 0}, i64)).values.shape() == (Shape{0}));
}

BOOST_AUTO_TEST_CASE(sort_and_topk_pass_gradcheck) {
  gradcheck([](auto& x) { return sort(x[0]).values; }, {noise({3, 5})});
  gradcheck([](auto& x) { return sort(x[0], 0, true).values; }, {noise({4, 3, 2})});
  gradcheck([](auto& x) { return sort(x[0]).values; }, {noise({2, 0})});
  gradcheck([](auto& x) { return topk(x[0], 2, 1).values; }, {noise({3, 5, 2})});
  gradcheck([](auto& x) { return topk(x[0], 3, -1, false).values; }, {noise({7})});
  gradcheck([](auto& x) { return topk(x[0], 1).values; }, {noise({1})});
}

BOOST_AUTO_TEST_CASE(sort_has_the_same_bits_for_any_thread_count) {
  const Tensor x = with_ties({301, 97}, f32), ids = with_ties({7, 4001}, i64);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{sort(x).values, sort(x, 0, true).indices, topk(x, 13).indices, topk(x, 5, 0).values,
                                    argsort(ids),   unique_counts(ids).counts};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_input_of_sort_is_named) {
  BOOST_TEST(error_of([] {
               topk(zeros({2, 3}), 5);
             }) == "topk: k is 5 and axis 1 of x, which is (2, 3), has 3 elements; the rule is 0 <= k <= 3");
  BOOST_TEST(error_of([] {
               topk(zeros({2, 3}), -1, 0);
             }) == "topk: k is -1 and axis 0 of x, which is (2, 3), has 2 elements; the rule is 0 <= k <= 2");
  BOOST_TEST(error_of([] { sort(zeros({3}, bf16)); }) ==
             "sort: x is bf16; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { sort(zeros({3}), 1); }) ==
             "sort: axis 1 is outside of x, which is (3,); it has 1 dimensions, so axes run from -1 to 0");
  BOOST_TEST(
      error_of([] { unique_counts(zeros({3})); }) ==
      "unique_counts: x is f32; only integers (i64, i32, u8) and booleans are counted. Cast first: cast(x, i64)");
  error_of([] { sort(scalar(1)); });
  error_of([] { sort(Tensor()); });
  error_of([] { topk(Tensor(), 1); });
  error_of([] { unique_counts(Tensor()); });
}

BOOST_AUTO_TEST_SUITE_END()
