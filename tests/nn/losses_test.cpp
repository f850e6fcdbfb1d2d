#include "nn/losses.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/cross_entropy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/softmax.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-14;

Tensor log_probabilities(const Shape& shape, uint32_t seed) { return log(softmax(noise(shape, seed))); }

}  // namespace

BOOST_AUTO_TEST_SUITE(losses_test)

BOOST_AUTO_TEST_CASE(mse_is_the_mean_of_squared_differences) {
  const Variable x = tensor({1, 2, 3, 4}, {2, 2}, f64), y = tensor({1, 0, 3, 1}, {2, 2}, f64);
  check_close(mse(x, y).value(), scalar((4 + 9) / 4.0, f64), kRounding);
  check_close(mse(x, x).value(), scalar(0), 0);
  BOOST_TEST(mse(Variable(zeros({0, 3})), Variable(zeros({0, 3}))).item() == 0);
  const Tensor strided = transpose(noise({3, 5}));
  check_close(mse(strided, Variable(zeros({5, 3}, f64))).value(), mse(noise({3, 5}), zeros({3, 5}, f64)).value(),
              kRounding);
}

BOOST_AUTO_TEST_CASE(kl_divergence_follows_its_definition) {
  const Tensor p = log_probabilities({2, 3, 5}, 1), q = log_probabilities({2, 3, 5}, 2);
  double total = 0;
  for_each_index(p.shape(), [&](const Shape& i) { total += std::exp(p.at(i)) * (p.at(i) - q.at(i)); });
  check_close(kl_divergence(p, q).value(), scalar(total / 6, f64), kRounding);
  BOOST_TEST(kl_divergence(p, q).item() > 0);
  BOOST_TEST(kl_divergence(p, p).item() == 0);
  BOOST_TEST(kl_divergence(q, p).item() != kl_divergence(p, q).item());
  BOOST_TEST(kl_divergence(Variable(zeros({0, 4})), Variable(zeros({0, 4}))).item() == 0);
  BOOST_TEST(kl_divergence(Variable(zeros({4, 0})), Variable(zeros({4, 0}))).item() == 0);
}

BOOST_AUTO_TEST_CASE(what_p_never_does_costs_nothing_and_sends_no_nan_back) {
  const Tensor p = tensor({-INFINITY, std::log(0.5), std::log(0.5)}, {1, 3}, f64);
  const Variable a = Variable::leaf(p), b = Variable::leaf(p);
  Variable loss = kl_divergence(a, b);  // both never do the first
  BOOST_TEST(loss.item() == 0);
  loss.backward();
  check_close(b.grad(), tensor({0, -0.5, -0.5}, {1, 3}, f64), kRounding);
  check_close(a.grad(), tensor({0, 0.5, 0.5}, {1, 3}, f64), kRounding);
  const Tensor uniform = full({1, 3}, std::log(1 / 3.0), f64);
  check_close(kl_divergence(p, uniform).value(), scalar(std::log(1.5), f64), kRounding);
  BOOST_TEST(kl_divergence(uniform, p).item() == INFINITY);
}

BOOST_AUTO_TEST_CASE(against_one_hot_targets_it_is_cross_entropy) {
  const Tensor logits = noise({2, 3}), hot = log(tensor({0, 0, 1, 1, 0, 0}, {2, 3}, f64));
  check_close(kl_divergence(hot, log(softmax(logits))).value(), cross_entropy(logits, tensor({2, 0}, i64)), kRounding);
}

BOOST_AUTO_TEST_CASE(gradients_are_right) {
  gradcheck([](auto& x) { return mse(x[0], x[1]); }, {noise({3, 4}), noise({3, 4}, 2)});
  gradcheck([](auto& x) { return kl_divergence(x[0], x[1]); }, {noise({2, 2, 3}), noise({2, 2, 3}, 2)});
  gradcheck([](auto& x) { return mse(x[0], x[1]); }, {noise({0, 4}), noise({0, 4}, 2)});
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  BOOST_TEST(error_of([] {
               mse(zeros({4, 1}), zeros({4}));
             }) == "mse: x is (4, 1) and y is (4,); they must be equal (a loss does not broadcast)");
  BOOST_TEST(error_of([] {
               kl_divergence(zeros({4, 3}), zeros({3}));
             }) == "kl_divergence: log_p is (4, 3) and log_q is (3,); both must be (..., V)");
  error_of([] { mse(zeros({4}), zeros({4}, f64)); });
  error_of([] { kl_divergence(scalar(0), scalar(0)); });
  error_of([] { mse(Variable(), Variable()); });
}

BOOST_AUTO_TEST_CASE(losses_and_their_gradients_have_the_same_bits_for_any_number_of_threads) {
  const Tensor a = log_softmax(noise({1031, 67}, 1, f32)), b = log_softmax(noise({1031, 67}, 2, f32));
  for (auto loss : {mse, kl_divergence}) {
    auto run = [&](int count) {
      Tensor value, da;
      on_threads(count, [&] {
        Variable x = Variable::leaf(a), y = loss(x, b);
        y.backward();
        value = y.value(), da = x.grad();
      });
      return std::pair{value, da};
    };
    const auto first = run(1);
    for (int count : {2, 3}) {
      const auto again = run(count);
      BOOST_TEST(same_bits(first.first, again.first));
      BOOST_TEST(same_bits(first.second, again.second));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
