#include "models/objectives/classify.h"

#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tests/models/small_model.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(classify_objective_test)

BOOST_AUTO_TEST_CASE(the_loss_is_summed_over_samples_and_the_accuracy_is_their_mean) {
  Classifier model({.V = 11, .classes = 3, .stack = small()});
  shake(model);
  Classify objective(model);
  Context ctx;
  const Tensor ids = some_ids(3, 8), lengths = tensor({8, 5, 2}, i64);
  const Tensor guesses = argmax(model.forward(ids, lengths, ctx).value(), {1});
  const auto loss = [&](const Tensor& targets) {
    ctx.begin(ctx.step + 1);
    return objective.summed_loss({.inputs = ids, .targets = targets, .lengths = lengths, .counted = 3}, {}, ctx).item();
  };
  const double right = loss(guesses);
  BOOST_TEST(ctx.metrics().at("accuracy") == 1);
  BOOST_TEST(right < 3 * std::log(3.0));  // each is more likely than a third
  const auto g = guesses.to_vector<int64_t>();
  loss(tensor({double(g[0]), double(g[1]), double((g[2] + 1) % 3)}, i64));
  BOOST_TEST(std::abs(ctx.metrics().at("accuracy") - 2 / 3.0) < 1e-12);
  BOOST_TEST(&objective.model() == &model);
  BOOST_TEST(
      error_of([&] { objective.summed_loss({}, {.hidden = window_mask(2, 0)}, ctx); }) ==
      "classify: a phase of the schedule has a window; a classifier reads the whole text. Leave the window away");
}

BOOST_AUTO_TEST_SUITE_END()
