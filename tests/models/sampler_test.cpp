// Sampling: how a token is drawn, and what rows that are written together have to do with each other: nothing.
#include "models/sampler.h"

#include <cmath>
#include <numeric>

#include "models/gpt.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(sampler_test)

namespace {

using Numbers = std::vector<double>;

const std::vector<float> kLogits = {0, 2, 1, -1};

Numbers shaped(const SampleOptions& options, const std::vector<float>& logits = kLogits) {
  Numbers p = shaped_probabilities(logits, options);
  BOOST_TEST(std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1) < 1e-12);
  return p;
}

// exp(x / heat) of those that may stay, as parts of their sum.
Numbers softmax_of(const std::vector<float>& logits, double heat, const std::vector<bool>& stay) {
  Numbers p;
  for (size_t i = 0; i < logits.size(); i++) p.push_back(stay[i] ? std::exp(logits[i] / heat) : 0);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

void check_equal(const Numbers& got, const Numbers& want) {
  BOOST_REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); i++) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12);
}

const std::vector<bool> kAll(4, true);

constexpr long kV = 40;

std::unique_ptr<Gpt> tiny_model(const std::string& attention = "full", long context = 16,
                                const std::string& positions = "learned") {
  const StackOptions stack{
      .C = 16, .heads = 2, .ordering = "sfsf", .attention = attention, .deviation = 0.5, .max_length = context};
  auto model = std::make_unique<Gpt>(GptOptions{.V = kV, .stack = stack, .positions = positions});
  model->initialise(3);
  return model;
}

Ids counting(long length, long from) {
  Ids ids;
  for (long i = 0; i < length; i++) ids.push_back((from + 7 * i) % kV);
  return ids;
}

// Row `row` of many, sampled alone.
Ids alone(TokenModel& model, const Ids& prompt, SampleOptions options, long row) {
  options.first_row = row;
  return sampled(model, {prompt}, options)[0];
}

std::string error_with(const SampleOptions& options, long context = 16) {
  const auto model = tiny_model("full", context);
  return error_of([&] { sampled(*model, {{1}}, options); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(temperature_divides_the_logits) {
  check_equal(shaped({}), softmax_of(kLogits, 1, kAll));
  check_equal(shaped({.temperature = 0.5}), softmax_of(kLogits, 0.5, kAll));
  check_equal(shaped({.temperature = 100}), softmax_of(kLogits, 100, kAll));
  check_equal(shaped({.temperature = 1e-300}), {0, 1, 0, 0});
  check_equal(shaped({}, {1e30f, -1e30f, 0, 1e30f}), {0.5, 0, 0, 0.5});
  check_equal(shaped({}, {1, -INFINITY}), {1, 0});
}

BOOST_AUTO_TEST_CASE(temperature_0_takes_the_likeliest_and_the_first_of_equals) {
  check_equal(shaped({.temperature = 0}), {0, 1, 0, 0});
  check_equal(shaped({.temperature = 0}, {1, 3, 3, 3}), {0, 1, 0, 0});
  check_equal(shaped({.temperature = 0, .top_k = 3, .top_p = 0.9}), {0, 1, 0, 0});
}

BOOST_AUTO_TEST_CASE(top_k_keeps_the_k_likeliest) {
  check_equal(shaped({.top_k = 1}), {0, 1, 0, 0});
  check_equal(shaped({.top_k = 2}), softmax_of(kLogits, 1, {false, true, true, false}));
  check_equal(shaped({.temperature = 2, .top_k = 3}), softmax_of(kLogits, 2, {true, true, true, false}));
  check_equal(shaped({.top_k = 4}), shaped({}));
  check_equal(shaped({.top_k = 300}), shaped({}));
  check_equal(shaped({.top_k = 2}, {1, 1, 1, 1}), {0.5, 0.5, 0, 0});  // of equals the first ones
}

BOOST_AUTO_TEST_CASE(top_p_keeps_the_fewest_that_have_this_much_probability) {
  const std::vector<float> logits = {std::log(0.1f), std::log(0.5f), std::log(0.3f), std::log(0.1f)};
  check_equal(shaped({.top_p = 0.4}, logits), {0, 1, 0, 0});
  check_equal(shaped({.top_p = 0.6}, logits), softmax_of(logits, 1, {false, true, true, false}));
  check_equal(shaped({.top_p = 0.85}, logits), softmax_of(logits, 1, {true, true, true, false}));
  check_equal(shaped({.top_p = 0.95}, logits), softmax_of(logits, 1, kAll));
  check_equal(shaped({.top_p = 1e-9}, logits), {0, 1, 0, 0});
  check_equal(shaped({.top_k = 2, .top_p = 0.6}, logits), {0, 1, 0, 0});  // of the two 0.625 and 0.375
}

BOOST_AUTO_TEST_CASE(a_large_vocabulary_is_shaped_like_a_small_one) {
  std::vector<float> logits(30'000);
  for (size_t i = 0; i < logits.size(); i++) logits[i] = float(i * 7919 % logits.size()) / 3000;  // each once
  const Numbers p = shaped({.top_k = 1000}, logits);
  for (size_t i = 0; i < logits.size(); i++) BOOST_TEST((p[i] > 0) == (logits[i] >= 29'000.0f / 3000));
  const Numbers q = shaped({.top_p = 0.5}, logits);
  const double least = std::log(0.5 * (std::exp(10.0) + 1));  // half of the area under exp lies above
  for (size_t i = 0; i < logits.size(); i++)
    if (std::abs(logits[i] - least) > 0.01) BOOST_TEST((q[i] > 0) == (logits[i] > least));
}

BOOST_AUTO_TEST_CASE(logits_that_are_no_numbers_are_refused) {
  for (const std::vector<float>& logits : {std::vector<float>{0, NAN}, {INFINITY, 0}, {}})
    BOOST_TEST(error_of([&] { shaped_probabilities(logits, {}); })
                   .ends_with(" logits some are NaN or infinite; the weights of this model are no good: take an "
                              "earlier checkpoint"));
}

// Whatever its state is: keys and values, sums, or the last keys only. Also beyond the context.
BOOST_AUTO_TEST_CASE(a_row_writes_the_same_among_any_others) {
  for (const char* attention : {"full", "linear", "window:left=5"}) {
    const auto model = tiny_model(attention);
    const SampleOptions options{.length = 50, .temperature = 0.9, .seed = 5};
    const std::vector<Ids> rows = sampled(*model, std::vector<Ids>(5, counting(4, 1)), options);
    for (size_t r = 0; r < rows.size(); r++) {
      BOOST_TEST(rows[r].size() == 50u);
      BOOST_TEST((rows[r] == alone(*model, counting(4, 1), options, long(r))), attention << ", row " << r);
      for (size_t other = 0; other < r; other++) BOOST_TEST((rows[r] != rows[other]));
    }
  }
}

BOOST_AUTO_TEST_CASE(prompts_of_any_lengths_are_read_as_each_alone) {
  for (const char* attention : {"full", "linear", "window:left=5"}) {
    const auto model = tiny_model(attention);
    const SampleOptions options{.length = 40, .top_k = 10};
    const std::vector<Ids> prompts = {counting(3, 0), counting(15, 5), counting(1, 9), counting(70, 2), counting(8, 4)};
    const std::vector<Ids> rows = sampled(*model, prompts, options);
    for (size_t r = 0; r < rows.size(); r++)
      BOOST_TEST((rows[r] == alone(*model, prompts[r], options, long(r))), attention << ", row " << r);
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_tokens) {
  const auto model = tiny_model();
  const auto tokens = [&](uint32_t seed, int threads) {
    std::vector<Ids> rows;
    on_threads(threads, [&] { rows = sampled(*model, {{1, 2}, {3}}, {.length = 50, .seed = seed}); });
    return rows;
  };
  BOOST_TEST((tokens(1, 1) == tokens(1, 2)));
  BOOST_TEST((tokens(1, 1)[0] != tokens(2, 1)[0]));
  BOOST_TEST((tokens(1, 1)[1] != tokens(2, 1)[1]));
  BOOST_TEST((sampled(*model, {{1}, {2}}, {.length = 0}) == std::vector<Ids>(2)));
}

// What was drawn before rows were sampled together, when all tokens are equally likely: a text that somebody has noted
// with its seed stays what it is.
BOOST_AUTO_TEST_CASE(a_seed_draws_what_it_always_drew) {
  Gpt model({.V = 256, .stack = {.C = 8, .heads = 2, .ordering = "sf", .max_length = 16}});
  for (Parameter* p : model.parameters()) fill(p->value.value(), 0);
  const auto row = [&](uint32_t seed) { return sampled(model, {{'T', 'h', 'e'}}, {.length = 20, .seed = seed})[0]; };
  BOOST_TEST(
      (row(1) == Ids{198, 17, 174, 157, 247, 191, 85, 95, 150, 94, 164, 206, 213, 227, 140, 115, 45, 91, 217, 96}));
  BOOST_TEST(
      (row(7) == Ids{11, 57, 132, 212, 193, 228, 147, 225, 127, 122, 202, 148, 210, 94, 63, 158, 229, 227, 73, 97}));
}

// Drawn often enough, tokens come as often as they should, whether as rows or by seeds.
BOOST_AUTO_TEST_CASE(tokens_come_by_their_probabilities) {
  const auto model = tiny_model();
  const SampleOptions options{.length = 1, .top_k = 3};
  Context ctx;
  StackState state = model->start(1, 16);
  const NoGrad no_grad;
  const Numbers p =
      shaped_probabilities(model->next_logits(tensor({7}, {1, 1}, i64), ctx, state).to_vector<float>(), options);
  std::vector<long> by_rows(kV), by_seeds(kV);
  for (const Ids& row : sampled(*model, std::vector<Ids>(600, Ids{7}), options)) by_rows[size_t(row[0])]++;
  for (uint32_t seed = 0; seed < 600; seed++) {
    SampleOptions one = options;
    one.seed = seed;
    by_seeds[size_t(sampled(*model, {{7}}, one)[0][0])]++;
  }
  for (size_t id = 0; id < size_t(kV); id++)
    for (const long count : {by_rows[id], by_seeds[id]})
      BOOST_TEST(std::abs(double(count) - 600 * p[id]) <= 5 * std::sqrt(600 * p[id] * (1 - p[id])));
}

BOOST_AUTO_TEST_CASE(a_row_goes_on_beyond_the_context) {
  for (const long context : {2, 3, 15, 16}) {
    const auto model = tiny_model("full", context);
    for (const Ids& row : sampled(*model, {counting(38, 0), {1}}, {.length = 70})) BOOST_TEST(row.size() == 70u);
  }
}

// With a cache or without: each token is the likeliest behind the last ones the model has seen.
// What a long context writes, with a short one.
BOOST_AUTO_TEST_CASE(a_stream_remembers_on_and_on) {
  for (const char* attention : {"window:left=9", "linear"}) {
    const auto small = tiny_model(attention, 16, "sinusoid"), large = tiny_model(attention, 400, "sinusoid");
    const std::vector<Ids> prompts = {counting(3, 1), counting(70, 2), counting(20, 5)};
    const auto rows = sampled(*small, prompts, {.length = 90, .stream = true});
    BOOST_TEST((rows == sampled(*large, prompts, {.length = 90})), attention);
    BOOST_TEST((rows != sampled(*small, prompts, {.length = 90})), attention);
  }
  BOOST_TEST(
      error_of([] { sampled(*tiny_model(), {{1}}, {.stream = true}); }).starts_with("gpt: the attention is 'full'"));
  struct Short : TokenModel {
    long vocabulary_size() const override { return 2; }
    long context() const override { return 4; }
    StackState start(long, long) override { return {}; }
    Tensor next_logits(const Tensor&, Context&, StackState&) override { return {}; }
  } other;
  BOOST_TEST(error_of([&] { sampled(other, {{1}}, {.stream = true}); }) ==
             "model: what this model remembers has an end; it cannot read or write a text without one");
}

BOOST_AUTO_TEST_CASE(the_cache_changes_nothing) {
  const auto model = tiny_model();
  Ids seen = {1, 2};
  const Ids row = sampled(*model, {seen}, {.length = 13, .temperature = 0})[0];
  for (const int64_t id : row) {
    BOOST_TEST(sampled(*model, {seen}, {.length = 1, .temperature = 0})[0][0] == id);
    seen.push_back(id);
  }
}

BOOST_AUTO_TEST_CASE(bad_options_are_refused) {
  BOOST_TEST(error_with({.temperature = -1}) == "sample: temperature is -1; it must be 0 (the likeliest) or more");
  BOOST_TEST(error_with({.temperature = NAN}).starts_with("sample: temperature is nan"));
  BOOST_TEST(error_with({.top_k = -1}) == "sample: top_k is -1; it must be 0 (all) or more");
  BOOST_TEST(error_with({.top_p = 0}) == "sample: top_p is 0; it must be above 0 and at most 1");
  BOOST_TEST(error_with({.top_p = 1.5}) == "sample: top_p is 1.5; it must be above 0 and at most 1");
  BOOST_TEST(error_with({.length = -1}) == "sample: length is -1; it must be 0 or more");
  BOOST_TEST(error_with({.first_row = -1}) == "sample: first_row is -1; rows count from 0");
  BOOST_TEST(error_with({.stop = 40}) == "sample: stop is 40; it must be an id from 0 to 39, or -1 (none)");
  BOOST_TEST(error_with({}, 1) == "sample: the context is 1 tokens; a model of at least 2 can go on");
}

BOOST_AUTO_TEST_CASE(prompts_that_cannot_be_are_refused) {
  const auto model = tiny_model();
  const auto error = [&](const std::vector<Ids>& prompts) { return error_of([&] { sampled(*model, prompts, {}); }); };
  BOOST_TEST(error({}) == "sample: there is no prompt; give one for each row");
  BOOST_TEST(error({{1}, {}}) == "sample: the prompt of row 1 is empty; this model goes on from at least one token");
  BOOST_TEST(error({{1}, {2, 40}}) == "sample: the prompt of row 1 has the id 40 at place 1; ids are 0 to 39");
  BOOST_TEST(error({{-1}}) == "sample: the prompt of row 0 has the id -1 at place 0; ids are 0 to 39");
}

BOOST_AUTO_TEST_SUITE_END()
