// Adam, SGD and Adagrad against plain loops, and what all optimisers share: names, state, decay.
#include <cmath>

#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/adagrad.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/sgd.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"
#include "train/optimiser.h"

using namespace heed;

namespace {

struct Trained {
  Linear model;
  ParameterArena arena;
  std::unique_ptr<Optimiser> optimiser;

  explicit Trained(const std::string& name, const OptimiserOptions& options = {})
      : model(7, 5), arena(model), optimiser(make_optimiser(name, arena, options)) {
    fill(model.bias().value(), 0.5);
  }
  void step(uint32_t seed, double scale = 1) {
    copy_into(arena.gradients(), scale * noise({arena.size()}, seed, f32));
    optimiser->step(0.01);
  }
};

// One weight's step in double: changes w and its memory a, b; g has been scaled already.
using Rule = std::function<void(double& w, double& a, double& b, double g, double l2, int t)>;

struct Case {
  std::string name;
  OptimiserOptions options;
  Rule rule;
};

const double kRate = 0.01;

std::vector<Case> cases() {
  const auto sgd = [](double& w, double& a, double&, double g, double l2, int) {
    a = 0.8 * a + g + l2 * w, w -= kRate * a;
  };
  const auto nesterov = [](double& w, double& a, double&, double g, double l2, int) {
    g += l2 * w, a = 0.8 * a + g, w -= kRate * (g + 0.8 * a);
  };
  const auto plain = [](double& w, double&, double&, double g, double l2, int) { w -= kRate * (g + l2 * w); };
  const auto adagrad = [](double& w, double& a, double&, double g, double l2, int) {
    g += l2 * w, a += g * g, w -= kRate * g / (std::sqrt(a) + 1e-10);
  };
  const auto adam = [](double& w, double& a, double& b, double g, double l2, int t) {
    g += l2 * w, a = 0.9 * a + 0.1 * g, b = 0.999 * b + 0.001 * g * g;
    w -= kRate * a / (1 - std::pow(0.9, t)) / (std::sqrt(b / (1 - std::pow(0.999, t))) + 1e-8);
  };
  return {{"sgd", {.weight_decay = 0.1, .momentum = 0.8}, sgd},
          {"sgd", {.weight_decay = 0.1, .momentum = 0.8, .nesterov = true}, nesterov},
          {"sgd", {.weight_decay = 0.1, .momentum = 0}, plain},
          {"sgd", {.momentum = 0.8}, sgd},
          {"adagrad", {.weight_decay = 0.1}, adagrad},
          {"adam", {.weight_decay = 0.1}, adam},
          {"adam", {}, adam}};
}

constexpr double kTenSteps = 2e-6;  // of f32 arithmetic

}  // namespace

BOOST_AUTO_TEST_SUITE(optimiser_family_test)

BOOST_AUTO_TEST_CASE(ten_steps_equal_a_plain_loop_and_decay_is_l2_of_the_decay_group) {
  for (const Case& c : cases()) {
    Trained t(c.name, c.options);
    std::vector<double> w = t.arena.weights().to_vector<double>(), a(w.size()), b(w.size());
    for (int i = 1; i <= 10; i++) {
      t.step(uint32_t(i));
      const auto g = t.arena.gradients().to_vector<double>();
      for (size_t k = 0; k < w.size(); k++)
        c.rule(w[k], a[k], b[k], g[k], long(k) < t.arena.decay_size() ? c.options.weight_decay.value_or(0) : 0, i);
    }
    check_close(t.arena.weights(), from_vector(w, {t.arena.size()}), kTenSteps);
  }
}

BOOST_AUTO_TEST_CASE(a_quadratic_bowl_is_descended_by_its_closed_form) {  // w -= rate * w: w = (1 - rate)^t
  const Tensor w = ones({3}, f64), v = zeros({3}, f64);
  for (int i = 0; i < 10; i++) sgd_into(w, v, clone(w), {.rate = 0.1, .momentum = 0});
  check_close(w, full({3}, std::pow(0.9, 10), f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(the_first_adagrad_step_goes_against_the_sign_by_the_rate) {
  const Tensor w = zeros({3}), s = zeros({3});
  adagrad_into(w, s, tensor({5, -0.01, 0}), {.rate = 0.1});
  check_close(w, tensor({-0.1, 0.1, 0}), 1e-6);
}

BOOST_AUTO_TEST_CASE(all_clip_by_the_global_norm_and_within_it_change_no_bit) {
  for (const std::string& name : optimiser_names()) {
    Trained clipped(name, {.clip = 0.25}), scaled(name), loose(name, {.clip = 1e6}), plain(name);
    clipped.step(3, 100);
    scaled.step(3, 100 * 0.25 / clipped.optimiser->gradient_norm());
    check_close(clipped.arena.weights(), scaled.arena.weights(), kTenSteps);
    for (uint32_t i = 1; i <= 3; i++) loose.step(i), plain.step(i);
    BOOST_TEST(same_bits(loose.arena.weights(), plain.arena.weights()), name);
  }
}

BOOST_AUTO_TEST_CASE(all_refuse_a_norm_that_is_not_finite_and_change_nothing) {
  for (const std::string& name : optimiser_names()) {
    Trained t(name, {.clip = 1});
    t.step(1);
    const Tensor before = clone(t.arena.weights()), memory = clone(t.optimiser->state()[0].second);
    fill(slice(t.arena.gradients(), 0, 0, 1), INFINITY);
    BOOST_TEST(error_of([&] {
                 t.optimiser->step(0.01);
               }).find("the gradients' norm is inf after 1 steps; the loss has run away: try a lower rate") !=
               std::string::npos);
    BOOST_TEST(same_bits(t.arena.weights(), before));
    BOOST_TEST(same_bits(t.optimiser->state()[0].second, memory));
    BOOST_TEST(t.optimiser->steps() == 1);
  }
}

BOOST_AUTO_TEST_CASE(state_and_steps_restored_continue_with_the_same_bits) {
  for (const std::string& name : optimiser_names()) {
    Trained whole(name), first(name), second(name);
    for (uint32_t i = 1; i <= 6; i++) whole.step(i);
    for (uint32_t i = 1; i <= 3; i++) first.step(i);
    copy_into(second.arena.weights(), first.arena.weights());
    for (size_t i = 0; i < first.optimiser->state().size(); i++) {
      BOOST_TEST(first.optimiser->state()[i].first == second.optimiser->state()[i].first);
      copy_into(second.optimiser->state()[i].second, first.optimiser->state()[i].second);
    }
    second.optimiser->set_steps(first.optimiser->steps());
    for (uint32_t i = 4; i <= 6; i++) second.step(i);
    BOOST_TEST(same_bits(whole.arena.weights(), second.arena.weights()), name);
  }
}

BOOST_AUTO_TEST_CASE(steps_have_the_same_bits_for_any_number_of_threads) {
  const long n = 100003;
  const auto run = [&](int threads) {
    const Tensor w = noise({n}, 1, f32), v = zeros({n}), s = zeros({n});
    on_threads(threads, [&] {
      for (uint32_t i = 2; i < 5; i++) {
        sgd_into(w, v, noise({n}, i, f32), {.nesterov = true, .l2 = 0.1});
        adagrad_into(w, s, noise({n}, i, f32), {.l2 = 0.1});
      }
    });
    return w;
  };
  BOOST_TEST(same_bits(run(1), run(2)));
  BOOST_TEST(same_bits(run(1), run(3)));
}

BOOST_AUTO_TEST_CASE(a_second_optimiser_of_the_same_name_is_refused) {
  const RegisteredOptimiser second({"sgd", nullptr});
  BOOST_TEST(error_of([] {
               Trained t("sgd");
             }).starts_with("optimiser: the optimiser 'sgd' is registered twice, at train/sgd.cpp:"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_with_the_rule) {
  const auto error = [](const std::string& name, const OptimiserOptions& o = {}) {
    return error_of([&] { Trained t(name, o); });
  };
  BOOST_TEST(error("adamv") ==
             "optimiser: there is no optimiser 'adamv'; there are adagrad, adam, adamw, sgd. Did you mean adam?");
  BOOST_TEST(error("sgd", {.momentum = 1}) == "SGD: momentum is 1; it must be at least 0 and below 1");
  BOOST_TEST(error("sgd", {.momentum = 0, .nesterov = true}) ==
             "SGD: nesterov is on and momentum is 0; it needs a momentum, such as 0.9");
  BOOST_TEST(error("adagrad", {.epsilon = 0}) == "Adagrad: epsilon is 0; it must be positive, such as 1e-10");
  BOOST_TEST(error("adam", {.weight_decay = -1}) == "Adam: weight_decay is -1; it must not be negative");
  Trained t("sgd");
  BOOST_TEST(error_of([&] { t.optimiser->set_steps(-1); }) == "SGD: the number of steps is -1; it must be at least 0");
  BOOST_TEST(error_of([] { sgd_into(zeros({3}), zeros({4}), zeros({3}), {}); }) ==
             "sgd: w is (3,) and v is (4,); all must have one shape");
  BOOST_TEST(error_of([] { adagrad_into(zeros({3}), zeros({4}), zeros({3}), {}); }) ==
             "adagrad: w is (3,) and s is (4,); all must have one shape");
}

BOOST_AUTO_TEST_SUITE_END()
