// The seam between a model's stack and its attention, used by two small citizens: a recurrent mixer with a State, and
// a core that is plain softmax attention.
#include "nn/mixing/mixer.h"
#include "attention/core.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// y_t = W (x_0 + ... + x_t) / (t + 1): every token gets the mean of its past. O(1) memory while decoding.
class PastMean : public Mixer {
 public:
  explicit PastMean(long C) : out(child<Linear>("out", C, C)) {}

  struct Sum : State {
    using State::State;
    Tensor total;  // (B, 1, C)
    void reset() override { State::reset(), total = Tensor(); }
    Tensors tensors() const override { return {{"total", total}}; }

   protected:
    void take(const Tensors& tensors) override { total = clone(named(tensors, "total")); }
  };

  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override {
    Sum* state = in.state ? &State::of<Sum>(*in.state, *this) : nullptr;
    if (state) state->check_room(x.size(0), x.size(1));
    const long before = state ? state->length() : 0;
    Variable total = state && state->total.defined() ? Variable(state->total) : Variable();
    std::vector<Variable> means;
    for (long t = 0; t < x.size(1); t++) {
      Variable token = slice(x, 1, t, t + 1);
      total = total.defined() ? total + token : token;
      means.push_back(total / double(before + t + 1));
    }
    if (state) state->total = total.value(), state->advance(x.size(1));
    return out.forward(concatenate(means, 1), ctx);
  }

  Capabilities can() const override {
    return {.causal = true, .strictly_causal = true, .decode = true, .because = "it is a mean of the past"};
  }
  std::unique_ptr<State> start(long batch, long max_length) override {
    return std::make_unique<Sum>(batch, max_length, *this);
  }

 private:
  Linear& out;
};

// softmax(q k^T / sqrt(D)) v with the mask as -inf: the definition, in O(T S) memory.
class DenseCore : public Core {
 public:
  Variable attend(const Heads& in, const Mask& mask, Context& ctx) override {
    return matmul(probabilities(in, mask, ctx), in.v);
  }
  Tensor weights(const Heads& in, const Mask& mask, Context& ctx) override {
    return probabilities(in, mask, ctx).value();
  }
  Capabilities can() const override { return {.causal = true, .padding = true, .cross = true, .exact = true}; }

 private:
  static Variable probabilities(const Heads& in, const Mask& mask, Context&) {
    Tensor seen = mask.dense(in.q.size(0), in.q.size(1), in.q.size(2), in.k.size(2));
    Variable scores = matmul(in.q, transpose(in.k)) / std::sqrt(double(in.q.size(3)));
    return softmax(scores + log(cast(seen, f32)));  // log 1 = 0, log 0 = -inf
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(chunks_of_any_size_through_a_state_equal_the_whole) {
  PastMean mixer(4);
  Context ctx;
  Tensor x = randn({2, 7, 4}, 1);
  Tensor whole = mixer.forward(x, {}, ctx).value();
  auto state = mixer.start(2, 7);
  long at = 0;
  for (long T : {1, 3, 1, 2}) {  // decoding, a prompt, ...: the same call
    Tensor part = mixer.forward(slice(x, 1, at, at + T), {.state = state.get()}, ctx).value();
    check_close(part, slice(whole, 1, at, at + T), 1e-6);
    at += T;
  }
  BOOST_TEST(state->length() == 7);
  BOOST_TEST(error_of([&] { mixer.forward(slice(x, 1, 0, 1), {.state = state.get()}, ctx); }) ==
             "state: 1 tokens were given after 7; it holds at most 7. Start a longer one: start(batch, max_length)");
  state->reset();
  check_close(mixer.forward(x, {.state = state.get()}, ctx).value(), whole, 1e-6);
  BOOST_TEST(error_of([&] {
               mixer.forward(randn({3, 1, 4}, 1), {.state = mixer.start(2, 7).get()}, ctx);
             }) == "state: it was started for a batch of 2 and got one of 3");
}

BOOST_AUTO_TEST_CASE(a_mixer_that_cannot_decode_or_show_weights_says_so) {
  struct Still : Mixer {
    Variable mix(const Variable& x, const MixIn&, Context&) override { return x; }
    Capabilities can() const override { return {}; }
  };
  Still still;
  Context ctx;
  BOOST_TEST(error_of([&] { still.start(1, 8); }) ==
             "attention: it keeps no state: token-by-token decoding is not defined for it; use it in an encoder");
  BOOST_TEST(error_of([&] {
               still.weights(Variable(zeros({1, 2, 3})), {}, ctx);
             }) == "attention: it has no dense map of weights to show");
  BOOST_TEST(error_of([] { PastMean(4).start(0, 8); }) ==
             "state: batch 0 and max_length 8 were given; both must be 1 or more");
}

BOOST_AUTO_TEST_CASE(what_a_mixer_does_not_promise_is_refused_before_it_runs) {
  struct Never : Mixer {
    Variable mix(const Variable&, const MixIn&, Context&) override { throw std::logic_error("it ran"); }
    Capabilities can() const override { return {.needs_max_length = true, .because = "it never looks"}; }
  } never;
  never.introduce("never", 5);
  Context ctx;
  const Tensor x = zeros({2, 4, 3}), longer = zeros({2, 6, 3});
  const auto refusal = [&](const MixIn& in) { return error_of([&] { never.forward(x, in, ctx); }); };
  const std::string ending = ", which this attention does not honour: it never looks. Leave it out, or use full";
  BOOST_TEST(refusal({.mask = causal_mask()}) == "never: the mask is causal" + ending);
  BOOST_TEST(refusal({.mask = window_mask(1, -1)}) == "never: the mask has a window" + ending);
  BOOST_TEST(refusal({.mask = length_mask(tensor({4, 2}, i64))}) == "never: the mask has lengths" + ending);
  BOOST_TEST(refusal({.mask = segment_mask(zeros({2, 4}, i64))}) == "never: the mask has segments" + ending);
  BOOST_TEST(refusal({.mask = range_mask(zeros({2, 4, 2}, i64))}) == "never: the mask has ranges" + ending);
  BOOST_TEST(refusal({.mask = allow_mask(ones({4, 4}, boolean))}) == "never: the mask has single pairs" + ending);
  const Variable source(x);
  BOOST_TEST(refusal({.source = &source}) ==
             "never: a source was given; it mixes the tokens of one sequence and takes no keys from another: it never "
             "looks. Use full");
  const auto state = PastMean(3).start(2, 4);
  BOOST_TEST(refusal({.state = state.get()}) == "never: a state was given; it keeps none: it never looks");
  const Tokens marked{.global = ones({1, 4}, boolean)};
  BOOST_TEST(refusal({.tokens = &marked}) ==
             "never: tokens are marked as global; it has no global tokens: it never looks. Use an attention that has");
  BOOST_TEST(error_of([&] { never.forward(longer, {}, ctx); }) ==
             "never: 6 tokens were given; it was made for at most 5 (max_length)");
  BOOST_TEST(error_of([&] { never.weights(x, {.mask = causal_mask()}, ctx); }) == "never: the mask is causal" + ending);
  BOOST_CHECK_THROW(never.forward(x, {}, ctx), std::logic_error);
}

BOOST_AUTO_TEST_CASE(facts_of_tokens_must_fit_the_batch) {
  PastMean mixer(3);
  Context ctx;
  const auto refusal = [&](const Tokens& tokens, State* state = nullptr) {
    return error_of([&] { mixer.forward(zeros({2, 4, 3}), {.state = state, .tokens = &tokens}, ctx); });
  };
  BOOST_TEST(refusal({.positions = zeros({2, 5}, i64)}) ==
             "attention: the positions are (2, 5) i64 and (B, T) is (2, 4); they must be i64 of shape (B, T), or "
             "(1, T) for all samples");
  BOOST_TEST(refusal({.positions = zeros({3, 4}, i64)}).starts_with("attention: the positions are (3, 4)"));
  BOOST_TEST(refusal({.positions = zeros({2, 4}, i64)}, mixer.start(2, 9).get()) ==
             "attention: positions and a state were given; with a state a token's position is its number. Leave one of "
             "them out");
  const Tokens fits{.positions = zeros({1, 4}, i64)};
  BOOST_CHECK_NO_THROW(mixer.forward(zeros({2, 4, 3}), {.tokens = &fits}, ctx));
}

BOOST_AUTO_TEST_CASE(a_state_goes_on_where_another_was) {
  PastMean mixer(4);
  Context ctx;
  const Tensor x = randn({2, 7, 4}, 1), whole = mixer.forward(x, {}, ctx).value();
  const auto first = mixer.start(2, 7), second = mixer.start(2, 7), short_one = mixer.start(2, 3);
  mixer.forward(slice(x, 1, 0, 5), {.state = first.get()}, ctx);
  second->restore(first->length(), first->tensors());
  mixer.forward(slice(x, 1, 0, 1), {.state = first.get()}, ctx);  // it does not know of the other
  check_close(mixer.forward(slice(x, 1, 5, 7), {.state = second.get()}, ctx).value(), slice(whole, 1, 5, 7), 1e-6);
  BOOST_TEST(second->bytes() == 2 * 4 * 4);
  BOOST_TEST(error_of([&] { short_one->restore(5, first->tensors()); }) ==
             "state: a state of 5 tokens was given; this one holds at most 3");
}

BOOST_AUTO_TEST_CASE(two_mixers_promise_what_both_do_and_need_what_either_does) {
  const Capabilities one{.causal = true, .padding = true, .random = true, .because = "a"};
  const Capabilities two{.causal = true, .exact = true, .widens = true, .because = "b"};
  const Capabilities both = one & two;
  BOOST_TEST((both.causal && !both.padding && !both.exact && both.random && both.widens));
  BOOST_TEST(both.because == "a; b");
  BOOST_TEST((one & one).because == "a");
}

BOOST_AUTO_TEST_CASE(a_core_sees_what_its_mask_allows_and_an_empty_row_gives_zeros) {
  DenseCore core;
  Context ctx;
  // Memory is (B, T, H, D), heads are a view of it.
  Variable q = transpose(Variable(randn({2, 3, 2, 4}, 1)), 1, 2), k = transpose(Variable(randn({2, 5, 2, 4}, 2)), 1, 2);
  Variable v = transpose(Variable(randn({2, 5, 2, 6}, 3)), 1, 2);
  Mask mask = causal_mask() & length_mask(tensor({5, 0}, i64));
  Tensor weights = core.weights({q, k, v}, mask, ctx), o = core.attend({q, k, v}, mask, ctx).value();
  BOOST_TEST(o.shape() == (Shape{2, 2, 3, 6}));
  check_close(sum(select(weights, 0, 0), {-1}), ones({2, 3}), 1e-6);
  for (long i = 0; i < 3; i++)
    for (long j = i + 3; j < 5; j++) BOOST_TEST(weights.at({0, 0, i, j}) == 0);
  check_close(select(o, 0, 1), zeros({2, 3, 6}), 0);  // sample 1 has no keys at all
}
