// A letter that only this file knows works in a stack like those of the library.
#include "models/sublayer.h"

#include "autograd/ops/elementwise.h"
#include "models/orderings.h"
#include "tensor/create.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// Twice the token, and what it was told.
struct Doubling : Sublayer {
  inline static std::vector<Doubling*> made;
  inline static bool saw_lengths = false, saw_state = false;

  explicit Doubling(const SublayerOptions& o)
      : place(o.place), number(o.number), count(o.count), scale(parameter("scale", {o.stack.C}, init::constant(2))) {
    made.push_back(this);
  }
  Variable forward(const Variable& h, const StackIn& in, State* state, Context&) override {
    saw_lengths |= in.mask.lengths.defined();
    saw_state |= state != nullptr;
    return h * scale;
  }

  long place, number, count;
  Variable& scale;
};
const SublayerKind kDoubling{.name = "d", .what = "doubling", .make = make_sublayer<Doubling>};

// A mixer of the sequence that cannot decode and honours no windows
struct Mean : Sublayer {
  explicit Mean(const SublayerOptions&) {}
  Variable forward(const Variable& h, const StackIn&, State*, Context&) override { return h; }
  Capabilities can() const override { return {.causal = true}; }
};
const SublayerKind kMean{.name = "m", .what = "a mean", .sees = Sees::sequence, .make = make_sublayer<Mean>};

}  // namespace

BOOST_AUTO_TEST_SUITE(sublayer_test)

BOOST_AUTO_TEST_CASE(a_letter_of_ones_own_knows_its_place_and_has_parameters_in_the_stack) {
  const RegisteredSublayer registered{kDoubling};
  Doubling::made.clear();
  Stack stack(small("sdfd"));
  BOOST_TEST_REQUIRE(Doubling::made.size() == 2u);
  BOOST_TEST(Doubling::made[0]->place == 1);
  BOOST_TEST(Doubling::made[1]->place == 3);
  BOOST_TEST(Doubling::made[1]->number == 1);
  BOOST_TEST(Doubling::made[1]->count == 2);
  BOOST_TEST(Doubling::made[1]->path() == "layer_3");
  long found = 0;
  for (const Parameter* p : stack.parameters()) found += p->path == "layer_3.scale";
  BOOST_TEST(found == 1);
}

BOOST_AUTO_TEST_CASE(lengths_reach_every_sublayer_and_a_state_only_those_that_see_more_than_a_token) {
  const RegisteredSublayer registered{kDoubling};
  Stack stack(small("sdf"));
  Context ctx;
  Doubling::saw_lengths = Doubling::saw_state = false;
  const NoGrad no_grad;
  stack.forward(randn({2, 5, 16}, 1), {.mask = length_mask(tensor({2, 5}, i64))}, ctx);
  BOOST_TEST(Doubling::saw_lengths);
  StackState state = stack.start(2, 5);
  BOOST_TEST(state.states.size() == 1u);
  stack.forward(randn({2, 5, 16}, 1), {.mask = causal_mask(), .state = &state}, ctx);
  BOOST_TEST(!Doubling::saw_state);
}

BOOST_AUTO_TEST_CASE(a_stack_can_what_all_its_sublayers_can) {
  const RegisteredSublayer doubling{kDoubling}, mean{kMean};
  BOOST_TEST(Stack(small("sd")).can().windows);
  BOOST_TEST(Stack(small("sd")).can().decode);
  BOOST_TEST(Stack(small("sm")).can().causal);
  BOOST_TEST(!Stack(small("sm")).can().windows);
  BOOST_TEST(!Stack(small("sm")).can().decode);
  BOOST_TEST(error_of([] { Stack(small("sm")).start(1, 4); }) ==
             "stack: the sublayer layer_1 keeps no state: token-by-token decoding is not defined for it");
}

BOOST_AUTO_TEST_CASE(errors_list_the_letters_that_there_are) {
  const RegisteredSublayer registered{kDoubling};
  BOOST_TEST(error_of([] { Stack stack(small("sx")); }) ==
             "stack: the ordering 'sx' has 'x' at place 1; the letters are c (cross-attention), d (doubling), f "
             "(feed-forward) and s (attention)");
}

BOOST_AUTO_TEST_CASE(a_language_model_is_told_every_letter_that_mixes_tokens) {
  const RegisteredSublayer doubling{kDoubling}, mean{kMean};
  BOOST_TEST(
      error_of([] { check_language_ordering("gpt", "fd"); }) ==
      "gpt: the ordering 'fd' has nothing that mixes tokens; a language model needs at least one m (a mean) or s "
      "(attention), or it sees one token");
  check_language_ordering("gpt", "fm");
}

BOOST_AUTO_TEST_CASE(every_kind_of_attention_has_the_paths_that_it_has_alone) {
  for (const char* spec : {"full", "window:left=2"}) {
    StackOptions options = small("s");
    options.attention = spec;
    Stack stack(options);
    struct Alone : Module {
      explicit Alone(const char* spec) {
        child_from("layer_0", [&] { return make_mixer(spec, {.C = 16, .heads = 2}); });
      }
    } alone(spec);
    std::vector<std::string> paths, want;
    for (const Parameter* p : stack.parameters())
      if (p->path.starts_with("layer_")) paths.push_back(p->path);
    for (const Parameter* p : alone.parameters()) want.push_back(p->path);
    BOOST_TEST(paths == want, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
