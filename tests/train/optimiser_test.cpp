// The AdamW class: groups, clipping, errors. The arithmetic of a step is tested in adamw_test.cpp.
#include <cmath>

#include "nn/arena.h"
#include "nn/linear.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/adamw.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"
#include "train/adamw.h"

using namespace heed;

namespace {

// A matrix that decays and a bias that does not, with gradients from a seed.
struct Trained {
  Linear model;
  ParameterArena arena;
  AdamW optimiser;

  explicit Trained(const AdamWOptions& options = {}) : model(7, 5), arena(model), optimiser(arena, options) {
    fill(model.bias().value(), 0.5);
  }
  void step(uint32_t seed, double rate = 0.01, double scale = 1) {
    copy_into(arena.gradients(), scale * noise({arena.size()}, seed, f32));
    optimiser.step(rate);
  }
};

constexpr double kRounding = 1e-6;  // a few roundings of f32

}  // namespace

BOOST_AUTO_TEST_SUITE(optimiser_test)

BOOST_AUTO_TEST_CASE(without_a_gradient_only_the_decay_group_shrinks) {
  Trained t({.weight_decay = 0.1});
  const Tensor before = clone(t.model.weight.value());
  for (int i = 0; i < 3; i++) t.optimiser.step(0.5);
  check_close(t.model.weight.value(), before * std::pow(1 - 0.5 * 0.1, 3), kRounding);
  check_close(t.model.bias().value(), full({5}, 0.5), 0);
}

BOOST_AUTO_TEST_CASE(both_groups_take_the_same_steps_as_the_plain_function) {
  Trained t({.beta1 = 0.8, .beta2 = 0.99, .weight_decay = 0});
  const Tensor w = clone(t.arena.weights()), m = zeros_like(w), v = zeros_like(w);
  for (uint32_t i = 1; i <= 4; i++) {
    t.step(i, 0.01 * i);
    adamw_into(w, m, v, t.arena.gradients(), {.rate = 0.01 * i, .beta1 = 0.8, .beta2 = 0.99, .step = i});
  }
  BOOST_TEST(t.optimiser.steps() == 4);
  check_close(t.arena.weights(), w, kRounding);
  check_close(t.optimiser.m(), m, kRounding);
  check_close(t.optimiser.v(), v, kRounding);
}

BOOST_AUTO_TEST_CASE(clipping_scales_all_gradients_to_the_norm) {
  Trained clipped({.clip = 0.25}), plain;
  clipped.step(3, 0.01, 100);
  const double norm = clipped.optimiser.gradient_norm();
  BOOST_TEST(norm == std::sqrt(sum(clipped.arena.gradients() * clipped.arena.gradients()).item()),
             boost::test_tools::tolerance(kRounding));
  plain.step(3, 0.01, 100 * 0.25 / norm);
  check_close(clipped.optimiser.m(), plain.optimiser.m(), kRounding);
  BOOST_TEST(std::sqrt(sum(clipped.optimiser.m() * clipped.optimiser.m()).item()) == 0.25 * 0.1,  // m = (1 - beta1) g
             boost::test_tools::tolerance(kRounding));
}

BOOST_AUTO_TEST_CASE(gradients_within_the_norm_are_not_touched) {
  Trained clipped({.clip = 1e6}), plain;
  for (uint32_t i = 1; i <= 3; i++) clipped.step(i), plain.step(i);
  BOOST_TEST(same_bits(clipped.arena.weights(), plain.arena.weights()));
}

BOOST_AUTO_TEST_CASE(a_step_leaves_the_gradients_and_allocates_nothing_new) {
  Trained t({.clip = 1});
  t.step(1);
  t.optimiser.step(0.01);
  const Tensor gradients = clone(t.arena.gradients());
  const long calls = memory_stats().driver_calls;
  for (int i = 0; i < 5; i++) t.optimiser.step(0.01);
  BOOST_TEST(memory_stats().driver_calls == calls);
  BOOST_TEST(same_bits(t.arena.gradients(), gradients));
}

BOOST_AUTO_TEST_CASE(steps_have_the_same_bits_for_any_number_of_threads) {
  Trained one({.clip = 0.1}), three({.clip = 0.1});
  for (uint32_t i = 1; i <= 5; i++) {
    on_threads(1, [&] { one.step(i); });
    on_threads(3, [&] { three.step(i); });
  }
  BOOST_TEST(same_bits(one.arena.weights(), three.arena.weights()));
}

BOOST_AUTO_TEST_CASE(a_gradient_that_is_not_finite_changes_nothing_when_clipping) {
  Trained t({.clip = 1});
  t.step(1);
  const Tensor before = clone(t.arena.weights());
  fill(slice(t.arena.gradients(), 0, 0, 1), NAN);
  BOOST_TEST(error_of([&] { t.optimiser.step(0.01); }) ==
             "AdamW: the gradients' norm is nan after 1 steps; the loss has run away: try a lower rate");
  BOOST_TEST(same_bits(t.arena.weights(), before));
  BOOST_TEST(t.optimiser.steps() == 1);
}

BOOST_AUTO_TEST_CASE(a_model_with_frozen_parameters_or_one_group_is_trained_too) {
  Linear model(3, 2, {.bias = false});
  ParameterArena arena(model);
  AdamW optimiser(arena);
  fill(arena.gradients(), 1);
  optimiser.step(0.1);
  Linear frozen(3, 2);
  frozen.freeze("");
  ParameterArena nothing(frozen);
  AdamW idle(nothing, {.clip = 1});
  idle.step(0.1);
  BOOST_TEST(idle.gradient_norm() == 0);
}

BOOST_AUTO_TEST_CASE(bad_options_are_told_with_the_rule) {
  const auto error = [](const AdamWOptions& options) { return error_of([&] { Trained t(options); }); };
  BOOST_TEST(error({.beta2 = 1}) == "AdamW: beta1 is 0.9 and beta2 is 1; each must be at least 0 and below 1");
  BOOST_TEST(error({.epsilon = 0}) == "AdamW: epsilon is 0; it must be positive, such as 1e-8");
  BOOST_TEST(error({.weight_decay = -1}) == "AdamW: weight_decay is -1; it must not be negative");
  BOOST_TEST(error({.clip = NAN}) == "AdamW: clip is nan; it must be positive, or 0 for no clipping");
  Trained t;
  BOOST_TEST(error_of([&] { t.optimiser.step(-0.1); }) == "AdamW: the rate is -0.1; it must be a number of at least 0");
}

BOOST_AUTO_TEST_SUITE_END()
