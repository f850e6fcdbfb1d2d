#include "tensor/ops/compare.h"

#include <limits>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

struct Op {
  const char* name;
  Tensor (*f)(const Tensor& a, const Tensor& b);
  Tensor (*with_number)(const Tensor& a, double b);
  bool (*scalar)(double, double);
};
#define LINE(name, ...) {#name, name, name, ops::name##_op::f<double>},
const Op kOps[] = {HEED_COMPARE_TABLE(LINE)};
#undef LINE

// By a plain loop over what a and b broadcast to.
Tensor expected(const Op& op, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast("expected", a.shape(), b.shape());
  const auto x = expand(a, shape).to_vector<double>(), y = expand(b, shape).to_vector<double>();
  std::vector<bool> want;
  for (size_t i = 0; i < x.size(); i++) want.push_back(op.scalar(x[i], y[i]));
  return from_vector(want, shape);
}

Tensor booleans(std::initializer_list<double> values) { return tensor(values, boolean); }
Tensor booleans(std::initializer_list<double> values, const Shape& shape) { return tensor(values, shape, boolean); }

// 0, 1, 2 in an order without pattern, so that equal, less and greater all occur
Tensor digits(const Shape& shape, uint32_t seed, DType dtype) {
  std::vector<int64_t> values;
  for (double z : noise(shape, seed).to_vector<double>()) values.push_back(z < -0.5 ? 0 : z < 0.5 ? 1 : 2);
  return cast(from_vector(values, shape), dtype);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compare_test)

BOOST_AUTO_TEST_CASE(comparisons_equal_a_scalar_loop_for_all_types_and_layouts) {
  for (const Op& op : kOps)
    for (DType dtype : {f32, f64, i32, i64, u8, boolean}) {
      BOOST_TEST_INFO_SCOPE(op.name << " " << dtype);
      const Tensor x = digits({3, 4, 5}, 1, dtype), z = digits({3, 4, 5}, 2, dtype);
      struct {
        Tensor a, b;
      } table[] = {{x, z},
                   {x, select(z, 0, 1)},
                   {slice(x, 1, 0, 1), slice(z, 2, 3, 4)},
                   {transpose(x), transpose(z)},
                   {select(select(select(x, 0, 0), 0, 0), 0, 0), z},
                   {slice(x, 2, 0, 5, 2), slice(z, 2, 0, 1)},
                   {slice(x, 0, 1, 1), select(z, 0, 0)},  // empty
                   {digits({257, 129}, 3, dtype), digits({129}, 4, dtype)}};
      for (const auto& [a, b] : table)
        for (const auto& [left, right] : {std::pair(a, b), {b, a}}) {
          const Tensor y = op.f(left, right);
          BOOST_TEST(y.dtype() == boolean);
          check_close(y, expected(op, left, right), 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_number_stands_for_a_tensor_of_one_element) {
  for (const Op& op : kOps)
    for (DType dtype : {f32, f64, i32, i64, u8, boolean}) {
      const Tensor x = digits({6, 7}, 1, dtype);
      check_close(op.with_number(x, 1), expected(op, x, scalar(1, dtype)), 0);
    }
  check_close(equal(tensor({0.1f}), 0.1), booleans({1}), 0);  // the number is read as x's type
}

BOOST_AUTO_TEST_CASE(large_integers_are_compared_exactly) {
  const int64_t big = (1L << 62) + 1;
  const Tensor a = from_vector(std::vector<int64_t>{big, big}, {2});
  const Tensor b = from_vector(std::vector<int64_t>{big, big - 1}, {2});
  check_close(equal(a, b), booleans({1, 0}), 0);
  check_close(greater(a, b), booleans({0, 1}), 0);
}

BOOST_AUTO_TEST_CASE(nan_differs_from_everything_and_infinities_have_an_order) {
  for (DType dtype : {f32, f64}) {
    const Tensor nan = full({40}, kNan, dtype), one = ones({40}, dtype), no = zeros({40}, boolean);
    for (const Op& op : kOps) {
      const Tensor want = op.name == std::string("not_equal") ? ones({40}, boolean) : no;
      for (const Tensor& y : {op.f(nan, nan), op.f(nan, one), op.f(one, nan)}) check_close(y, want, 0);
    }
    check_close(less(tensor({-kInf, -kInf, kInf}, dtype), tensor({0, kInf, kInf}, dtype)), booleans({1, 1, 0}), 0);
  }
}

BOOST_AUTO_TEST_CASE(logic_follows_its_truth_tables_and_broadcasts) {
  const Tensor a = booleans({0, 0, 1, 1}), b = booleans({0, 1, 0, 1});
  check_close(logical_and(a, b), booleans({0, 0, 0, 1}), 0);
  check_close(logical_or(a, b), booleans({0, 1, 1, 1}), 0);
  check_close(logical_not(a), booleans({1, 1, 0, 0}), 0);
  check_close(logical_or(unsqueeze(slice(b, 0, 0, 2), 1), slice(a, 0, 0, 4, 2)), booleans({0, 1, 1, 1}, {2, 2}), 0);
  BOOST_TEST(logical_and(zeros({0, 3}, boolean), ones({3}, boolean)).shape() == (Shape{0, 3}));
}

BOOST_AUTO_TEST_CASE(any_and_all_reduce_over_any_axes) {
  const Tensor x = booleans({0, 0, 1, 1, 1, 1}, {2, 3});
  check_close(any(x, {0}), booleans({1, 1, 1}), 0);
  check_close(all(x, {0}), booleans({0, 0, 1}), 0);
  check_close(all(transpose(x), {0}), booleans({0, 1}), 0);
  check_close(all(x, {-1}, true), booleans({0, 1}, {2, 1}), 0);
  BOOST_TEST(any(x).item() == 1);
  BOOST_TEST(all(x).item() == 0);
  BOOST_TEST(any(x).dtype() == boolean);
  const Tensor one = zeros({300, 1000}, boolean);  // a single one among many is not lost
  BOOST_TEST(any(one).item() == 0);
  fill(select(select(one, 0, 299), 0, 999), 1);
  BOOST_TEST(any(one).item() == 1);
  BOOST_TEST(all(logical_not(one)).item() == 0);
}

BOOST_AUTO_TEST_CASE(of_nothing_any_is_false_and_all_is_true) {
  BOOST_TEST(any(zeros({0}, boolean)).item() == 0);
  BOOST_TEST(all(zeros({0}, boolean)).item() == 1);
  check_close(all(zeros({2, 0}, boolean), {1}), ones({2}, boolean), 0);
  BOOST_TEST(any(zeros({2, 0}, boolean), {0}).shape() == Shape{0});
}

BOOST_AUTO_TEST_CASE(comparisons_have_the_same_bits_for_any_thread_count) {
  const Tensor a = noise({211, 503}, 1, f32), b = noise({503}, 2, f32);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{less(a, b), any(less(a, b), {0}), all(less(a, b), {1})};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_comparisons_say_what_is_wrong) {
  BOOST_TEST(error_of([] {
               less(zeros({2, 3}), zeros({4}));
             }) ==
             "less: a is (2, 3) and b is (4,); they do not broadcast: sizes aligned at the right must be equal or 1 "
             "(3 != 4). Use unsqueeze or reshape to line them up");
  BOOST_TEST(error_of([] { equal(zeros({2}), zeros({2}, i64)); }) ==
             "equal: a is f32 and b is i64; types are never mixed silently. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { equal(zeros({2}, bf16), zeros({2}, bf16)); }) ==
             "equal: x is bf16, which is for storage and is not compared. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { less(zeros({2}, i64), 2.5); }) ==
             "less: x is i64 and the number 2.5 is not one of this type. Cast first: less(cast(x, f64), 2.5)");
  BOOST_TEST(error_of([] { less(zeros({2}, u8), 300); }) ==
             "less: x is u8 and the number 300 is not one of this type. Cast first: less(cast(x, f64), 300)");
  error_of([] { equal(zeros({2}, i32), kNan); });
  error_of([] { equal(Tensor(), 1); });
  BOOST_TEST(error_of([] { logical_and(zeros({2}), zeros({2})); }) ==
             "logical_and: x is f32; logic is done on booleans. Did you mean not_equal(x, 0)?");
  BOOST_TEST(error_of([] { any(zeros({2}, u8)); }) ==
             "any: x is u8; logic is done on booleans. Did you mean not_equal(x, 0)?");
  BOOST_TEST(error_of([] { all(zeros({2}, boolean), {1}); }) ==
             "all: axis 1 is outside of x, which is (2,); it has 1 dimensions, so axes run from -1 to 0");
}

BOOST_AUTO_TEST_SUITE_END()
