#include "nn/arena.h"

#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tests/nn/small_modules.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(arena_test)

BOOST_AUTO_TEST_CASE(frozen_parameters_get_no_gradient_and_no_place_in_the_arena) {
  Model model;
  BOOST_TEST(model.freeze("first.a") == 2);
  BOOST_TEST(error_of([&] { model.freeze("second"); }) ==
             "freeze: there is no part of the model 'second'; there are first, head");
  BOOST_TEST(error_of([&] { model.freeze("first.c"); }) ==
             "freeze: there is no part of the model 'first.c'; there are first.a, first.b, head.weight. Did you mean "
             "first.a?");
  BOOST_TEST(error_of([&] { model.freeze("fir"); }) ==  // a path, not the beginning of one
             "freeze: there is no part of the model 'fir'; there are first, head. Did you mean first?");
  ParameterArena arena(model);
  BOOST_TEST(arena.entries().size() == 3);
  Context ctx;
  sum(model.head.forward(model.first.forward(Variable(ones({2, 3})), ctx), ctx)).backward();
  BOOST_TEST(!model.first.a->weight.grad().defined());
  BOOST_TEST(model.first.b->weight.grad().defined());
}

BOOST_AUTO_TEST_CASE(the_arena_holds_every_weight_and_takes_every_gradient) {
  Model model;
  Tensor before = clone(model.head.weight.value());
  ParameterArena arena(model);
  BOOST_TEST(same_bits(clone(model.head.weight.value()), before));
  BOOST_TEST(model.head.weight.value().storage() == arena.weights().storage());
  BOOST_TEST(arena.decay_size() == 16 + 16 + 16);  // three matrices, each rounded up to 64 bytes
  BOOST_TEST(arena.size() == arena.decay_size() + 2 * 16);
  Context ctx;
  for (int i = 0; i < 2; i++) sum(model.head.forward(model.first.forward(Variable(ones({2, 3})), ctx), ctx)).backward();
  for (const auto& entry : arena.entries()) {
    BOOST_TEST(entry.offset % 16 == 0);
    BOOST_TEST(entry.decay == (entry.offset < arena.decay_size()));
  }
  BOOST_TEST(model.head.weight.grad().storage() == arena.gradients().storage());
  BOOST_TEST(sum(model.head.weight.grad() * model.head.weight.grad()).item() > 0);
  arena.zero_gradients();
  BOOST_TEST(sum(model.head.weight.grad() * model.head.weight.grad()).item() == 0);
}

BOOST_AUTO_TEST_CASE(packed_parameters_are_not_frozen_cast_or_packed_again) {
  Pair model;
  ParameterArena arena(model);
  const std::string rule =
      "'a.weight' is part of a ParameterArena already; freeze and cast parameters before they are packed, and pack "
      "once";
  BOOST_TEST(error_of([&] { model.freeze("a"); }) == "freeze: " + rule);
  BOOST_TEST(error_of([&] { model.cast_parameters(f64); }) == "cast_parameters: " + rule);
  BOOST_TEST(error_of([&] { ParameterArena again(model); }) == "arena: " + rule);
}

BOOST_AUTO_TEST_SUITE_END()
