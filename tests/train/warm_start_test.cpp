#include "train/warm_start.h"

#include "models/gpt.h"
#include "tensor/copy.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/model_tensors.h"

using namespace heed;

namespace {

GptOptions small(long layers, long context, long width = 16) {
  return {.V = 11,
          .stack = {.C = width, .heads = 2, .ordering = repeated("sf", layers), .max_length = context},
          .positions = "learned"};
}

Tensor named(Module& model, const std::string& path) {
  for (const NamedTensor& tensor : model_tensors(model))
    if (tensor.name == path) return tensor.value;
  return {};
}

std::vector<NamedTensor> cloned(Module& model) {
  std::vector<NamedTensor> copies;
  for (const auto& [name, value] : model_tensors(model)) copies.push_back({name, clone(value)});
  return copies;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(warm_start_test)

BOOST_AUTO_TEST_CASE(what_fits_is_taken_and_the_rest_stays_as_it_was_drawn) {
  Gpt one(small(1, 8)), two(small(2, 8));
  one.initialise(1), two.initialise(2);
  const Tensor fresh = clone(named(two, "stack.layer_2.in.weight"));
  const WarmStart start = warm_start(two, cloned(one), "one");
  BOOST_TEST(same_bits(named(two, "stack.layer_0.in.weight"), named(one, "stack.layer_0.in.weight")));
  BOOST_TEST(same_bits(named(two, "stack.layer_2.in.weight"), fresh));
  BOOST_TEST(start.taken.size() == model_tensors(one).size());
  BOOST_TEST(start.unused.empty());
  BOOST_TEST(start.text().find(" tensors are taken from one; new: stack.") != std::string::npos, start.text());
  const WarmStart back = warm_start(one, cloned(two), "two");
  BOOST_TEST(back.unused.size() == model_tensors(two).size() - model_tensors(one).size());
  BOOST_TEST(back.text().find("; not used: stack.") != std::string::npos, back.text());
}

BOOST_AUTO_TEST_CASE(a_longer_table_of_positions_repeats_the_shorter_one_and_a_shorter_one_takes_its_first_rows) {
  Gpt short_one(small(1, 3)), long_one(small(1, 8));
  short_one.initialise(1), long_one.initialise(2);
  const WarmStart start = warm_start(long_one, cloned(short_one), "it");
  BOOST_TEST_REQUIRE(start.tiled.size() == 1u);
  BOOST_TEST(start.text().find("positions are repeated to fit: input.positions.weight") != std::string::npos);
  const Tensor before = named(short_one, "input.positions.weight"), now = named(long_one, "input.positions.weight");
  for (long row = 0; row < 8; row++)
    BOOST_TEST(same_bits(contiguous(slice(now, 0, row, row + 1)), contiguous(slice(before, 0, row % 3, row % 3 + 1))));
  warm_start(short_one, cloned(long_one), "it");
  BOOST_TEST(same_bits(named(short_one, "input.positions.weight"), contiguous(slice(now, 0, 0, 3))));
}

BOOST_AUTO_TEST_CASE(a_model_that_fits_nowhere_is_refused) {
  Gpt narrow(small(1, 8)), wide(small(1, 8, 32));
  const std::vector<NamedTensor> before = cloned(wide);
  const std::string text = error_of([&] { warm_start(wide, cloned(narrow), "narrow"); });
  BOOST_TEST(text.starts_with("warm_start: of "), text);
  BOOST_TEST(text.find(" tensors of narrow none fits: the model has input.tokens.weight, ") != std::string::npos, text);
  BOOST_TEST(text.ends_with(". A warm start wants the same width, so that paths and shapes agree"), text);
}

BOOST_AUTO_TEST_CASE(projections_of_global_tokens_begin_as_copies_of_the_others) {
  GptOptions global = small(1, 8);
  global.stack.attention = "longformer:globals=1,causal_global=yes";
  Gpt plain(small(1, 8)), made(global), again(global);
  plain.initialise(1), made.initialise(2), again.initialise(3);
  const WarmStart start = warm_start(made, cloned(plain), "plain");
  for (const char* name : {"weight", "bias"})
    BOOST_TEST(same_bits(named(made, std::string("stack.layer_0.core.global.") + name),
                         named(plain, std::string("stack.layer_0.in.") + name)));
  BOOST_TEST(start.copied.size() == 2u);
  BOOST_TEST(start.fresh.empty());
  BOOST_TEST(start.unused.empty());
  BOOST_TEST(start.text().find("; global projections are copies of the others: stack.layer_0.core.global.weight") !=
                 std::string::npos,
             start.text());
  BOOST_TEST(warm_start(again, cloned(made), "made").copied.empty());  // where they are there they are taken
}

BOOST_AUTO_TEST_SUITE_END()
