// Sampling: how a byte is drawn, and what a text is made of.
#include "models/sampler.h"

#include <cmath>
#include <numeric>

#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"
#include "tests/support/tiny_lm.h"
#include "tests/support/tiny_trainer.h"

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

std::unique_ptr<Gpt> tiny_model(long context = 16) {
  LmSettings s = tiny_lm();
  s.context = context;
  auto model = std::make_unique<Gpt>(model_options(s));
  model->initialise(3);
  return model;
}

std::string error_with(const SampleOptions& options, long context = 16) {
  const auto model = tiny_model(context);
  return error_of([&] { sampled_text(*model, "a", options); });
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

BOOST_AUTO_TEST_CASE(logits_that_are_no_numbers_are_refused) {
  for (const std::vector<float>& logits : {std::vector<float>{0, NAN}, {INFINITY, 0}, {}})
    BOOST_TEST(error_of([&] { shaped_probabilities(logits, {}); })
                   .ends_with(" logits some are NaN or infinite; the weights of this model are no good: take an "
                              "earlier checkpoint"));
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_text) {
  const auto model = tiny_model();
  const auto text = [&](uint32_t seed, int threads) {
    std::string result;
    on_threads(threads, [&] { result = sampled_text(*model, "abc", {.length = 50, .seed = seed}); });
    return result;
  };
  BOOST_TEST(text(1, 1) == text(1, 2));
  BOOST_TEST(text(1, 1) != text(2, 1));
  BOOST_TEST(text(1, 1).size() == 50u);
  BOOST_TEST(sampled_text(*model, "", {.length = 9}) == sampled_text(*model, "\n", {.length = 9}));
  BOOST_TEST(sampled_text(*model, "abc", {.length = 0}) == "");
}

// Drawn often enough, bytes come as often as they should.
BOOST_AUTO_TEST_CASE(bytes_come_by_their_probabilities) {
  const auto model = tiny_model();
  std::vector<long> counts(256);
  const SampleOptions options{.length = 1, .top_k = 3};
  for (uint32_t seed = 0; seed < 600; seed++) {
    SampleOptions one = options;
    one.seed = seed;
    counts[uint8_t(sampled_text(*model, "q", one)[0])]++;
  }
  long kinds = 0;
  for (const long count : counts) kinds += count > 100;  // the three are nearly equally likely at first
  BOOST_TEST(kinds == 3);
}

BOOST_AUTO_TEST_CASE(a_text_goes_on_beyond_the_context) {
  for (const long context : {2, 3, 15, 16}) {
    const auto model = tiny_model(context);
    const std::string text = sampled_text(*model, "a long prompt, longer than the context", {.length = 70});
    BOOST_TEST(text.size() == 70u);
  }
}

// With a cache or without: each byte is the likeliest behind the last ones the model has seen.
BOOST_AUTO_TEST_CASE(the_cache_changes_nothing) {
  LmTrainer trainer(tiny_lm(), split_of({tiny_text()}));  // only the model is used
  Gpt& model = trainer.model();
  const std::string text = sampled_text(model, "xy", {.length = 13, .temperature = 0});
  std::string seen = "xy";
  for (const char c : text) {
    BOOST_TEST(sampled_text(model, seen, {.length = 1, .temperature = 0})[0] == c);
    seen += c;
  }
}

BOOST_AUTO_TEST_CASE(it_stops_when_nobody_listens) {
  const auto model = tiny_model();
  int calls = 0;
  sample_text(*model, "a", {.length = 50}, [&](char) { return ++calls < 7; });
  BOOST_TEST(calls == 7);
}

BOOST_AUTO_TEST_CASE(bad_options_are_refused) {
  BOOST_TEST(error_with({.temperature = -1}) == "sample: temperature is -1; it must be 0 (the likeliest) or more");
  BOOST_TEST(error_with({.temperature = NAN}).starts_with("sample: temperature is nan"));
  BOOST_TEST(error_with({.top_k = -1}) == "sample: top_k is -1; it must be 0 (all) or more");
  BOOST_TEST(error_with({.top_p = 0}) == "sample: top_p is 0; it must be above 0 and at most 1");
  BOOST_TEST(error_with({.top_p = 1.5}) == "sample: top_p is 1.5; it must be above 0 and at most 1");
  BOOST_TEST(error_with({.length = -1}) == "sample: length is -1; it must be 0 or more");
  BOOST_TEST(error_with({}, 1) == "sample: the context is 1 bytes; a model of at least 2 can go on");
}

BOOST_AUTO_TEST_SUITE_END()
