#include "autograd/attach_loss.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(attach_loss_test)

BOOST_AUTO_TEST_CASE(an_attached_loss_adds_its_gradient_and_leaves_the_value_alone) {
  Variable x = Variable::leaf(tensor({1, 2})), w = Variable::leaf(tensor({3, 4}));
  Variable y = attach_loss(x * 2.0, sum(w * w), 0.1);
  check_close(y.value(), tensor({2, 4}), 0);
  sum(y).backward(10);  // a loss scale reaches the attached loss too
  check_close(x.grad(), tensor({20, 20}), 0);
  check_close(w.grad(), tensor({6, 8}), 1e-6);
  BOOST_TEST(error_of([&] { attach_loss(x, w, 1); }) ==
             "attach_loss: aux is (2,); it must be a scalar. Take sum or mean");
}

// A mean over three tokens, as two micro-batches of one and two: sums scaled by 1/3, attached means by their shares.
BOOST_AUTO_TEST_CASE(an_attached_mean_weighs_the_same_for_any_micro_batches) {
  Variable w = Variable::leaf(tensor({5, 7, 9}));
  const auto run = [&](long begin, long end) {
    const Variable part = slice(w, 0, begin, end), y = attach_loss(part * 0.0, mean(part * part), 0.5);
    sum(y).backward(1.0 / 3, double(end - begin) / 3);
  };
  run(0, 3);
  const Tensor whole = clone(w.grad());
  check_close(whole, tensor({5.0 / 3, 7.0 / 3, 3}), 1e-6);  // 0.5 * 2 w / 3
  w.zero_grad();
  run(0, 1), run(1, 3);
  check_close(w.grad(), whole, 1e-6);
}

BOOST_AUTO_TEST_CASE(attach_loss_passes_gradcheck) {
  const auto f = [](auto& x) { return attach_loss(sum(x[0]), Variable(scalar(0, x[0].dtype())), 2); };
  BOOST_CHECK_NO_THROW(gradcheck(f, {noise({3})}));
}

BOOST_AUTO_TEST_SUITE_END()
