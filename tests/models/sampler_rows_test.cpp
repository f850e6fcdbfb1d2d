// Rows that are sampled together: what the model is shown, who writes when, and how a row ends. The model is made up,
// so that all of it can be worked out by hand.
#include <cmath>

#include "models/sampler.h"
#include "tensor/create.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(sampler_rows_test)

namespace {

constexpr long kV = 10;

// The sum of the tokens that each row has seen.
class TotalState : public State {
 public:
  using State::State;
  void reset() override { State::reset(), totals.clear(); }
  Tensors tensors() const override { return {}; }
  std::vector<long> totals;

 protected:
  void take(const Tensors&) override {}
};

// The next token is the last digit of the sum of all that were seen, plus 1: 3 -> 4, 3 4 -> 8. It remembers how many
// tokens it was shown with every call.
class Adder : public TokenModel {
 public:
  Adder(long context, bool has_start = false) : context_(context), has_start_(has_start) {}
  long vocabulary_size() const override { return kV; }
  long context() const override { return context_; }
  bool has_start() const override { return has_start_; }
  StackState start(long batch, long max_length) override {
    StackState state;
    state.states.push_back(std::make_unique<TotalState>(batch, max_length, owner_));
    return state;
  }
  Tensor next_logits(const Tensor& ids, Context&, StackState& state) override {
    TotalState& own = State::of<TotalState>(*state.states[0], owner_);
    const long B = ids.size(0), T = ids.size(1);
    own.check_room(B, T);
    own.totals.resize(size_t(B), 0);
    std::vector<float> logits(size_t(B * kV), poison);
    for (long b = 0; b < B; b++) {
      long& total = own.totals[size_t(b)];
      for (long t = 0; t < T; t++) total += long(ids.at({b, t}));
      logits[size_t(b * kV + (total + 1) % kV)] = 100;
    }
    own.advance(T);
    shown.push_back(T);
    return from_vector(logits, {B, kV});
  }

  std::vector<long> shown = {};
  float poison = 0;  // the logit of all other tokens

 private:
  class Nobody : public Module {};
  Nobody owner_;
  long context_;
  bool has_start_;
};

using Calls = std::vector<std::pair<long, int64_t>>;
using Lengths = std::vector<long>;

Calls calls_of(Adder& model, const std::vector<Ids>& prompts, const SampleOptions& options) {
  Calls calls;
  sample(model, prompts, options, [&](long row, int64_t id) {
    calls.emplace_back(row, id);
    return true;
  });
  return calls;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_come_place_by_place_and_row_by_row) {
  Adder model(100);
  BOOST_TEST((calls_of(model, {{3}, {1, 2}}, {.length = 3}) == Calls{{0, 4}, {0, 8}, {1, 4}, {0, 6}, {1, 8}, {1, 6}}));
  BOOST_TEST((sampled(model, {{3}, {1, 2}}, {.length = 3}) == std::vector<Ids>{{4, 8, 6}, {4, 8, 6}}));
}

BOOST_AUTO_TEST_CASE(what_all_rows_have_is_read_at_once) {
  Adder model(100);
  sampled(model, {{1, 2, 3, 4}, {5, 6}, {7, 8, 9}}, {.length = 3});
  BOOST_TEST((model.shown == Lengths{2, 1, 1, 1, 1}));  // as many as the shortest prompt has, then one by one
  model.shown.clear();
  sampled(model, {{1, 2, 3}, {4, 5, 6}}, {.length = 2});
  BOOST_TEST((model.shown == Lengths{3, 1}));
}

// A short one may end before another has read its prompt; nobody waits for it then.
BOOST_AUTO_TEST_CASE(the_rest_of_a_prompt_is_read_at_once_when_nobody_else_writes) {
  Adder model(100);
  const std::vector<Ids> rows = sampled(model, {{1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}, {.length = 2});
  BOOST_TEST((model.shown == Lengths{1, 1, 4, 1, 1, 1}));
  BOOST_TEST((rows == std::vector<Ids>{{2, 4}, {9, 8}, {7, 4}}));
}

BOOST_AUTO_TEST_CASE(a_full_context_is_read_again_from_its_half) {
  Adder model(6);
  const Ids row = sampled(model, {{1}}, {.length = 12})[0];
  BOOST_TEST((model.shown == Lengths{1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 3, 1}));
  BOOST_TEST((row == Ids{2, 4, 8, 6, 2, 4, 3, 6, 2, 4, 3, 6}));
}

BOOST_AUTO_TEST_CASE(of_a_prompt_that_fills_the_context_the_end_is_read) {
  Adder model(4);
  const std::vector<Ids> prompts = {{9, 9, 9, 9, 9, 1, 2, 3}, {3}}, cut = {{1, 2, 3}, {3}};
  BOOST_TEST((sampled(model, prompts, {.length = 9}) == sampled(model, cut, {.length = 9})));
  BOOST_TEST(model.shown[0] == 1);
  BOOST_TEST((sampled(model, {{9, 1, 2, 3}}, {.length = 1})[0] == Ids{7}));
}

BOOST_AUTO_TEST_CASE(a_row_ends_where_nobody_listens_any_more) {
  Adder model(100);
  Calls calls;
  sample(model, {{3}, {5}}, {.length = 4}, [&](long row, int64_t id) {
    calls.emplace_back(row, id);
    return row == 1;
  });
  BOOST_TEST((calls == Calls{{0, 4}, {1, 6}, {1, 2}, {1, 4}, {1, 8}}));
  BOOST_TEST(model.shown.size() == 4u);
  int heard = 0;
  sample(model, {{3}, {5}}, {.length = 50}, [&](long, int64_t) { return ++heard < 2; });
  BOOST_TEST(heard == 3);  // the second row has ended, the first is asked once more
}

BOOST_AUTO_TEST_CASE(a_row_ends_with_the_token_that_stops_it) {
  Adder model(100);
  BOOST_TEST(
      (sampled(model, {{3}, {5}, {1, 9}}, {.length = 5, .stop = 2}) == std::vector<Ids>{{4, 8, 6, 2}, {6, 2}, {1, 2}}));
  BOOST_TEST(model.shown.size() == 4u);                                                       // all have ended
  BOOST_TEST((sampled(model, {{2}}, {.length = 2, .stop = 2}) == std::vector<Ids>{{3, 6}}));  // a prompt stops nothing
}

BOOST_AUTO_TEST_CASE(a_model_with_a_start_needs_no_prompt) {
  Adder model(100, true);
  BOOST_TEST((sampled(model, {{}, {}}, {.length = 3}) == std::vector<Ids>{{1, 2, 4}, {1, 2, 4}}));
  BOOST_TEST((model.shown == Lengths{0, 1, 1}));
  BOOST_TEST((sampled(model, {{}, {3}}, {.length = 3}) == std::vector<Ids>{{1, 2, 4}, {4, 8, 6}}));
}

BOOST_AUTO_TEST_CASE(many_rows_may_be_sampled_in_parts) {
  Adder model(100);
  model.poison = 99;  // nearly as likely
  const std::vector<Ids> prompts(7, Ids{1}), rows = sampled(model, prompts, {.length = 30});
  for (const long first : {0L, 3L}) {
    const std::vector<Ids> part = sampled(model, std::vector<Ids>(4, Ids{1}), {.length = 30, .first_row = first});
    for (size_t r = 0; r < part.size(); r++) BOOST_TEST((part[r] == rows[size_t(first) + r]));
  }
}

BOOST_AUTO_TEST_CASE(bad_weights_are_told) {
  Adder model(100);
  model.poison = NAN;
  BOOST_TEST(error_of([&] {
               sampled(model, {{1}, {2}}, {});
             }) ==
             "sample: of 10 logits some are NaN or infinite; the weights of this model are no good: take an earlier "
             "checkpoint");
}

BOOST_AUTO_TEST_SUITE_END()
