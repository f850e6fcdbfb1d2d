// Which op made the first NaN or infinity.
#include "autograd/finite.h"

#include <cmath>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/where.h"
#include "tensor/create.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(finite_test)

BOOST_AUTO_TEST_CASE(finite_is_neither_nan_nor_infinite) {
  BOOST_TEST(all_finite(from_vector(std::vector<float>{0, -1e38f, 1e-45f}, {3})));
  for (float bad : {NAN, HUGE_VALF, -HUGE_VALF}) BOOST_TEST(!all_finite(from_vector(std::vector<float>{1, bad}, {2})));
  BOOST_TEST(all_finite(Tensor::empty({0}, f32)));
  BOOST_TEST(all_finite(from_vector(std::vector<int64_t>{1}, {1})));
  BOOST_TEST(all_finite(Tensor()));
}

BOOST_AUTO_TEST_CASE(the_op_that_made_it_is_named) {
  const Variable x = Variable::leaf(from_vector(std::vector<float>{1, 2, 3, 4, -5, 6}, {2, 3}));
  const CheckFinite checking;
  const Variable y = x * 2;
  BOOST_TEST(error_of([&] { log(y); }) == "log: it made nan: the first of 1 is at [1, 1] of (2, 3) f32");
}

BOOST_AUTO_TEST_CASE(results_are_looked_at_without_gradients_too) {
  const NoGrad no_grad;
  const CheckFinite checking;
  BOOST_TEST(error_of([] { exp(Variable(full({2}, 1000.0))); }) ==
             "exp: it made infinity: the first of 2 is at [0] of (2,) f32");
}

BOOST_AUTO_TEST_CASE(a_backward_is_named_too) {
  const Variable x = Variable::leaf(zeros({2}));
  const CheckFinite checking;
  const Variable y = sum(sqrt(x));
  BOOST_TEST(error_of([&] { y.backward(); }) ==
             "sqrt: its backward made infinity: the first of 2 is at [0] of (2,) f32");
}

BOOST_AUTO_TEST_CASE(a_gradient_of_minus_infinity_is_refused) {
  const Variable x = Variable::leaf(zeros({2}));
  const CheckFinite checking;
  const Variable y = sum(sqrt(x) * -1.0);
  BOOST_TEST(error_of([&] { y.backward(); }) ==
             "sqrt: its backward made minus infinity: the first of 2 is at [0] of (2,) f32");
}

BOOST_AUTO_TEST_CASE(a_masked_score_passes) {
  const CheckFinite checking;
  BOOST_CHECK_NO_THROW(masked_fill(Variable(zeros({2})), full({2}, 1, boolean), -HUGE_VAL));
}

BOOST_AUTO_TEST_CASE(nobody_looks_without_a_guard) {
  { const CheckFinite checking; }
  BOOST_CHECK_NO_THROW(log(Variable(full({1}, -1.0))));
}

BOOST_AUTO_TEST_SUITE_END()
