#include "autograd/ops/where.h"

#include <limits>

#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Tensor expected(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast("expected", broadcast("expected", a.shape(), b.shape()), condition.shape());
  const auto c = expand(condition, shape).to_vector<int>();
  auto x = expand(a, shape).to_vector<double>();
  const auto y = expand(b, shape).to_vector<double>();
  for (size_t i = 0; i < x.size(); i++) x[i] = c[i] ? x[i] : y[i];
  return from_vector(x, shape);
}

Tensor coins(const Shape& shape, uint32_t seed = 1) { return greater(noise(shape, seed), 0); }

}  // namespace

BOOST_AUTO_TEST_SUITE(where_test)

BOOST_AUTO_TEST_CASE(where_chooses_for_all_types_and_any_layout) {
  for (DType dtype : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    BOOST_TEST_INFO_SCOPE(dtype);
    const Tensor a = cast(clamp(noise({3, 4, 5}, 1) * 9.0 + 30.0, 0, 100), dtype), c = coins({3, 4, 5}, 3);
    const Tensor b = cast(clamp(noise({3, 4, 5}, 2) * 9.0 + 30.0, 0, 100), dtype);
    struct {
      Tensor condition, a, b;
    } table[] = {{c, a, b},
                 {transpose(c), transpose(a), transpose(b)},
                 {c, select(a, 0, 0), slice(b, 1, 2, 3)},
                 {select(c, 0, 1), a, select(select(select(b, 0, 0), 0, 0), 0, 0)},
                 {c, select(select(select(b, 0, 0), 0, 0), 0, 0), a},
                 {slice(c, 1, 0, 1), slice(a, 2, 0, 1), slice(b, 0, 1, 2)},
                 {scalar(1, boolean), scalar(1, dtype), b},
                 {slice(c, 0, 1, 1), slice(a, 0, 0, 1), select(b, 0, 0)},  // empty
                 {coins({129}), cast(zeros({257, 129}), dtype), ones({257, 1}, dtype)}};
    for (const auto& row : table) {
      const Tensor y = where(row.condition, row.a, row.b);
      BOOST_TEST(y.dtype() == dtype);
      check_close(y, expected(row.condition, row.a, row.b), 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_chosen_does_not_matter) {
  const Tensor c = tensor({1, 0}, boolean);
  check_close(where(c, tensor({1, kNan}), tensor({kInf, 2})), tensor({1, 2}), 0);
  Variable a = Variable::leaf(tensor({1, kNan})), b = Variable::leaf(tensor({kInf, 2}));
  where(c, a, b).backward(tensor({3, 4}));
  check_close(a.grad(), tensor({3, 0}), 0);
  check_close(b.grad(), tensor({0, 4}), 0);
}

BOOST_AUTO_TEST_CASE(where_passes_gradcheck) {
  struct {
    Shape condition, a, b;
  } table[] = {{{3, 4}, {3, 4}, {3, 4}}, {{3, 4}, {4}, {3, 1}}, {{4}, {3, 4}, {}},   {{2, 1, 4}, {3, 1}, {4}},
               {{1}, {1}, {1}},          {{}, {2}, {2}},        {{2, 0}, {2, 1}, {}}};
  for (const auto& row : table) {
    const Tensor c = coins(row.condition);
    BOOST_CHECK_NO_THROW(gradcheck([&](auto& x) { return where(c, x[0], x[1]); }, {noise(row.a, 2), noise(row.b, 3)}));
    BOOST_CHECK_NO_THROW(
        gradcheck([&](auto& x) { return where(c, x[0], Variable(scalar(2, x[0].dtype()))); }, {noise(row.a, 2)}));
  }
}

BOOST_AUTO_TEST_CASE(masked_fill_fills_where_the_mask_is_true) {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3}), mask = tensor({1, 0, 1}, boolean);
  check_close(masked_fill(x, mask, -kInf), tensor({-kInf, 2, -kInf, -kInf, 5, -kInf}, {2, 3}), 0);
  check_close(masked_fill(transpose(x), tensor({0, 1}, boolean), 9), tensor({1, 9, 2, 9, 3, 9}, {3, 2}), 0);
  check_close(masked_fill(cast(x, i64), mask, 7), tensor({7, 2, 7, 7, 5, 7}, {2, 3}), 0);
  BOOST_TEST(masked_fill(cast(x, i64), mask, 7).dtype() == i64);
  BOOST_TEST(masked_fill(zeros({0, 3}), mask, 1).shape() == (Shape{0, 3}));
  BOOST_TEST(masked_fill(scalar(1), scalar(1, boolean), 2).item() == 2);
}

BOOST_AUTO_TEST_CASE(masked_fill_passes_gradcheck) {
  for (const auto& [x, mask] :
       {std::pair(Shape{3, 5}, Shape{3, 5}), {{3, 5}, {5}}, {{3, 5}, {3, 1}}, {{1}, {1}}, {{}, {}}, {{2, 0}, {1}}}) {
    const Tensor m = coins(mask);
    BOOST_CHECK_NO_THROW(gradcheck([&](auto& v) { return masked_fill(v[0], m, -2); }, {noise(x, 2)}));
  }
}

BOOST_AUTO_TEST_CASE(clamp_limits_and_nan_stays) {
  for (DType dtype : {f32, f64}) {
    check_close(clamp(tensor({-kInf, -2, -1, 0.5, 2, 3, kInf, kNan}, dtype), -1, 2),
                tensor({-1, -1, -1, 0.5, 2, 2, 2, kNan}, dtype), 0);
    const Tensor x = noise({4, 5, 6}, 1, dtype);
    for (const Tensor& view : {x, transpose(x), slice(x, 2, 0, 6, 2), slice(x, 0, 0, 0), noise({70001}, 2, dtype)})
      check_close(clamp(view, -0.5, 1), minimum(maximum(view, -0.5), 1), 0);
    check_close(clamp(x, -kInf, kInf), x, 0);
    check_close(clamp(x, 3, 3), full(x.shape(), 3, dtype), 0);
  }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_clamp_is_one_inside_and_at_the_borders) {
  for (DType dtype : {f32, f64})
    check_close(clamp_backward(full({7}, 5, dtype), tensor({-kInf, -2, 0.1, 1, 2, 3, kNan}, dtype), 0.1, 2),
                tensor({0, 0, 5, 5, 5, 0, 0}, dtype), 0);
  for (const Shape& shape : {Shape{3, 7}, {1}, {}, {2, 0}})
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return clamp(x[0], -0.5, 1); }, {noise(shape)}));
  const Tensor x = noise({5, 6}), dy = transpose(noise({6, 5}, 2));
  check_close(clamp_backward(dy, x, -1, 1), where(less_equal(abs(x), 1), dy, scalar(0, f64)), 0);
}

BOOST_AUTO_TEST_CASE(a_condition_changed_before_backward_is_refused) {
  const Tensor c = coins({3});
  Variable x = Variable::leaf(noise({3})), y = masked_fill(x, c, 0), z = where(c, x, x);
  fill(c, 1);
  BOOST_CHECK_THROW(y.backward(ones({3}, f64)), GraphError);
  BOOST_CHECK_THROW(z.backward(ones({3}, f64)), GraphError);
}

BOOST_AUTO_TEST_CASE(choices_have_the_same_bits_for_any_thread_count) {
  const Tensor c = coins({503}), a = noise({211, 503}, 1, f32), b = noise({211, 1}, 2, f32);
  std::vector<Tensor> first;
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const std::vector<Tensor> now{where(c, a, b), masked_fill(a, c, 1), clamp(a, 0, 1), clamp_backward(a, a, 0, 1)};
      if (first.empty()) first = now;
      for (size_t i = 0; i < now.size(); i++) BOOST_TEST(same_bits(now[i], first[i]));
    });
}

BOOST_AUTO_TEST_CASE(bad_choices_say_what_is_wrong) {
  BOOST_TEST(error_of([] { where(zeros({2}), zeros({2}), zeros({2})); }) ==
             "where: the condition is f32; it must be boolean. Did you mean not_equal(x, 0)?");
  BOOST_TEST(error_of([] {
               where(zeros({2}, boolean), zeros({3, 2}), zeros({3}));
             }) ==
             "where: the condition is (2,), a is (3, 2) and b is (3,); they do not broadcast: sizes aligned at the "
             "right must be equal or 1");
  BOOST_TEST(error_of([] { where(zeros({2}, boolean), zeros({2}), zeros({2}, f64)); }) ==
             "where: a is f32 and b is f64; types are never mixed silently. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] {
               masked_fill(zeros({2}), zeros({3, 2}, boolean), 0);
             }) == "masked_fill: x is (2,) and the mask is (3, 2); the mask must broadcast to x");
  BOOST_TEST(error_of([] { masked_fill(zeros({2}), zeros({3}, boolean), 0); }) ==
             "masked_fill: x is (2,) and the mask is (3,); the mask must broadcast to x");
  BOOST_TEST(error_of([] { masked_fill(zeros({2}), zeros({2}, u8), 0); }) ==
             "masked_fill: the mask is u8; it must be boolean. Did you mean not_equal(x, 0)?");
  BOOST_TEST(error_of([] { clamp(zeros({2}), 1, 0); }) == "clamp: low is 1 and high is 0; the rule is low <= high");
  BOOST_TEST(error_of([] { clamp(zeros({2}), kNan, 0); }) ==
             "clamp: low is nan and high is 0; the rule is low <= high");
  BOOST_TEST(error_of([] { clamp(zeros({2}, i64), 0, 1); }) ==
             "clamp: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([] { clamp_backward(zeros({2}), zeros({3}), 0, 1); }) ==
             "clamp: dy is (2,) and x is (3,); they must be equal");
}

BOOST_AUTO_TEST_SUITE_END()
