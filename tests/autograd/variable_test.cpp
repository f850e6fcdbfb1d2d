#include "autograd/variable.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(variable_test)

BOOST_AUTO_TEST_CASE(a_constant_takes_part_without_taking_a_gradient) {
  Variable x = Variable::leaf(tensor({1, 2}));
  Variable y = x * tensor({3, 4});
  BOOST_TEST(y.requires_grad());
  BOOST_TEST(!(Variable(tensor({1})) * 2.0).requires_grad());
  sum(y).backward();
  check_close(x.grad(), tensor({3, 4}), 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_recorded_under_no_grad_or_after_detach) {
  Variable x = Variable::leaf(tensor({1, 2}));
  {
    NoGrad guard;
    BOOST_TEST(!(x * 2.0).requires_grad());
  }
  BOOST_TEST((x * 2.0).requires_grad());
  BOOST_TEST(!detach(x * 2.0).requires_grad());
  BOOST_TEST(detach(x).value().storage() == x.value().storage());
}

BOOST_AUTO_TEST_CASE(an_input_that_is_not_given_takes_no_gradient) {
  const Variable x = Variable::leaf(tensor({1, 2})), none;
  const auto op = [&](Tensor for_none) {
    return record("exp", x.value(), {none, x}, [=](const Tensor& dy) { return Grads{for_none, dy}; });
  };
  op(Tensor()).backward(tensor({3, 4}));
  check_close(x.grad(), tensor({3, 4}), 0);
  op(tensor({1})).backward(tensor({3, 4}));  // dropped, whatever its shape
  check_close(x.grad(), tensor({6, 8}), 0);
}

BOOST_AUTO_TEST_CASE(an_op_with_several_outputs_gets_their_gradients_together) {
  Variable x = Variable::leaf(tensor({1, 2, 3}));
  auto halves = [&] {
    return record_many("slice", {x.value() * 2.0, x.value() * 3.0}, {x}, [](const std::vector<Tensor>& dys) {
      Tensor dx = zeros({3});
      if (dys[0].defined()) add_into(dx, dys[0] * 2.0);
      if (dys[1].defined()) add_into(dx, dys[1] * 3.0);
      return Grads(dx);
    });
  };
  auto both = halves();
  sum(both[0] + both[1]).backward();
  check_close(x.grad(), tensor({5, 5, 5}), 0);
  x.zero_grad();
  sum(halves()[1]).backward();
  check_close(x.grad(), tensor({3, 3, 3}), 0);
}

BOOST_AUTO_TEST_CASE(a_frozen_leaf_takes_no_gradient) {
  Variable x = Variable::leaf(tensor({1, 2})), w = Variable::leaf(tensor({3, 4}));
  w.set_requires_grad(false);
  sum(x * w).backward();
  BOOST_TEST(!w.grad().defined());
  check_close(x.grad(), tensor({3, 4}), 0);
}

BOOST_AUTO_TEST_CASE(all_copies_of_a_leaf_see_a_new_value) {
  Variable w = Variable::leaf(tensor({1})), copy = w;
  w.set_value(tensor({7}));
  BOOST_TEST(copy.item() == 7);
}

BOOST_AUTO_TEST_SUITE_END()
