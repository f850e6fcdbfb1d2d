#include "autograd/variable.h"

#include <cmath>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(backward_test)

BOOST_AUTO_TEST_CASE(backward_gives_the_gradient_of_a_small_expression) {
  Variable a = Variable::leaf(scalar(2)), b = Variable::leaf(scalar(-3));
  Variable y = a * b + tanh(a);
  y.backward();
  BOOST_TEST(y.item() == -6 + std::tanh(2.0), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(a.grad().item() == -3 + 1 - std::pow(std::tanh(2.0), 2), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(b.grad().item() == 2);
}

BOOST_AUTO_TEST_CASE(gradients_add_up_over_backward_calls_until_zero_grad) {
  Variable x = Variable::leaf(tensor({1, 2, 3}));
  for (int i = 0; i < 2; i++) sum(x * 5.0).backward();
  check_close(x.grad(), tensor({10, 10, 10}), 0);
  x.zero_grad();
  sum(x).backward(0.5);
  check_close(x.grad(), tensor({0.5, 0.5, 0.5}), 0);
}

BOOST_AUTO_TEST_CASE(a_graph_used_twice_is_refused) {
  Variable x = Variable::leaf(tensor({1, 2}));
  Variable y = exp(x), loss = sum(y);
  loss.backward();
  BOOST_TEST(error_of([&] { loss.backward(); }) ==
             "backward: the graph of 'sum' was used already and is freed. Run the forward pass again before a second "
             "backward");
  BOOST_TEST(error_of([&] { sum(y * 2.0).backward(); }).find("the graph of 'exp' was used already") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(backward_starts_at_a_scalar_that_requires_a_gradient) {
  Variable x = Variable::leaf(tensor({1, 2}));
  BOOST_TEST(error_of([&] { (x * 2.0).backward(); }) ==
             "backward: this Variable is (2,); backward() starts at a scalar. Take sum or mean, or pass the gradient: "
             "backward(dy)");
  BOOST_TEST(error_of([&] { Variable(scalar(1)).backward(); }) ==
             "backward: nothing here requires a gradient: no leaf took part, or it was computed under NoGrad");
  BOOST_TEST(error_of([&] { (x * 2.0).backward(tensor({1})); }) ==
             "backward: dy is (1,) and the Variable (2,); they must be equal");
  BOOST_TEST(error_of([&] { (x * 2.0).grad(); }) ==
             "grad: this Variable is the result of an op; only a leaf (a parameter) has it. Make one with "
             "Variable::leaf(tensor)");
  BOOST_TEST(error_of([&] { Variable::leaf(tensor({1}, i64)); }) ==
             "leaf: the value is i64; gradients exist for f32 and f64. Cast first: cast(x, f32)");
}

BOOST_AUTO_TEST_CASE(a_custom_op_with_a_wrong_backward_is_told_so) {
  Variable x = Variable::leaf(tensor({1, 2}));
  auto bad = [&](Grads grads) { return record("exp", x.value(), {x}, [grads](const Tensor&) { return grads; }); };
  BOOST_TEST(error_of([&] {
               bad(tensor({1})).backward(tensor({1, 1}));
             }) ==
             "exp: its backward returned a gradient of shape (1,) for input 0, which is (2,); they must be equal");
  BOOST_TEST(error_of([&] {
               bad({Tensor(), Tensor()}).backward(tensor({1, 1}));
             }) == "exp: its backward returned 2 gradients for 1 inputs; return one for each, Tensor() for none");
}

BOOST_AUTO_TEST_CASE(gradients_that_share_memory_do_not_disturb_each_other) {
  Variable a = Variable::leaf(tensor({1, 2})), b = Variable::leaf(tensor({3, 4}));
  Variable y = a + b;     // both get the same tensor dy
  sum(y + a).backward();  // and a gets a second one
  check_close(a.grad(), tensor({2, 2}), 0);
  check_close(b.grad(), tensor({1, 1}), 0);
}

BOOST_AUTO_TEST_CASE(backward_frees_what_the_forward_pass_kept) {
  Variable x = Variable::leaf(randn({100, 100}, 1));
  sum(tanh(x)).backward();
  size_t before = memory_stats().live;
  Variable y = x;
  for (int i = 0; i < 20; i++) y = tanh(y);
  Variable loss = sum(y);
  y = Variable();
  BOOST_TEST(memory_stats().live >= before + 20 * 40000);
  loss.backward();
  BOOST_TEST(memory_stats().live <= before + 2 * 64);  // the loss itself
}

BOOST_AUTO_TEST_CASE(a_chain_of_a_hundred_thousand_ops_is_freed_and_run_without_overflowing_the_stack) {
  Variable x = Variable::leaf(scalar(0));
  for (bool run : {false, true}) {
    Variable y = x;
    for (int i = 0; i < 100000; i++) y = y + 1.0;
    if (run) y.backward();
  }
  BOOST_TEST(x.grad().item() == 1);
}

BOOST_AUTO_TEST_CASE(the_same_gradient_bits_come_out_for_any_number_of_threads) {
  auto gradient = [](int count) {
    Tensor result;
    on_threads(count, [&] {
      Variable x = Variable::leaf(randn({257, 131}, 1)), w = Variable::leaf(randn({131, 67}, 2));
      Variable h = matmul(x, w);
      sum(softmax(h) * tanh(h) + h).backward();
      result = w.grad();
    });
    return result;
  };
  BOOST_TEST(same_bits(gradient(1), gradient(2)));
  BOOST_TEST(same_bits(gradient(1), gradient(3)));
  BOOST_TEST(same_bits(gradient(2), gradient(2)));
}

BOOST_AUTO_TEST_CASE(a_backward_that_threw_does_not_disturb_the_next_one) {
  Variable w = Variable::leaf(tensor({1}));
  Variable h = w * 2.0;
  auto bad = [](const Variable& x) {
    return record("exp", x.value(), {x}, [](const Tensor&) -> Grads { throw Error("out of order"); });
  };
  Variable loss = sum(bad(h)) + sum(h);
  BOOST_TEST(error_of([&] { loss.backward(); }) == "out of order");
  w.zero_grad();
  sum(h * 5.0).backward();
  check_close(w.grad(), tensor({10}), 0);
}

BOOST_AUTO_TEST_CASE(a_gradient_of_another_type_is_refused) {
  Variable x = Variable::leaf(tensor({1, 2}));
  Variable y = record("exp", x.value(), {x}, [](const Tensor& dy) { return cast(dy, f64); });
  BOOST_TEST(error_of([&] { sum(y).backward(); }) ==
             "exp: its backward returned a gradient of type f64 for input 0, which is f32; they must be equal");
  BOOST_TEST(error_of([&] { cast(x, bf16); }) ==
             "cast: x takes a gradient and bf16 is for storage, where none can flow. Use cast(detach(x), bf16)");
}

BOOST_AUTO_TEST_SUITE_END()
