// Factorisations: which tokens are predicted, in which order, and what stands in their places.
#include "models/objectives/factorisation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(factorisation_test)

namespace {

RandomKey key_of(uint32_t sample) { return {.seed = 1, .step = 2, .site = site_hash("test"), .sample = sample}; }

std::vector<int64_t> counting(long n) {
  std::vector<int64_t> ids(static_cast<size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_count_is_exact_and_rounds_halves_up) {
  const std::map<long, long> counts = {{1, 1}, {3, 1}, {5, 1}, {6, 1}, {10, 2}, {30, 5}, {50, 8}, {128, 19}, {512, 77}};
  for (const auto& [n, count] : counts) BOOST_TEST(predicted_count(n, 0.15) == count, "n " << n);
  for (uint32_t sample = 0; sample < 50; sample++)
    BOOST_TEST(drawn_factorisation(30, 0.15, key_of(sample)).predicted.size() == 5u);
}

BOOST_AUTO_TEST_CASE(every_position_is_predicted_or_visible_and_special_ones_never_are_predicted) {
  std::vector<bool> special(20, false);
  special[0] = special[19] = true;
  for (uint32_t sample = 0; sample < 50; sample++) {
    const Factorisation order = drawn_factorisation(20, 0.5, key_of(sample), special);
    BOOST_TEST(order.predicted.size() == 9u);  // of 18
    BOOST_TEST(std::is_sorted(order.visible.begin(), order.visible.end()));
    std::vector<long> all = order.visible;
    all.insert(all.end(), order.predicted.begin(), order.predicted.end());
    std::sort(all.begin(), all.end());
    for (long p = 0; p < 20; p++) BOOST_TEST(all[size_t(p)] == p);
    for (const long p : order.predicted) BOOST_TEST((p != 0 && p != 19));
  }
}

// Of 6 positions 2 are predicted: 30 pairs in order, each as often as the others. chi^2 with 29 degrees of freedom is
// below 58 but once in a thousand draws.
BOOST_AUTO_TEST_CASE(every_order_is_equally_likely) {
  constexpr long kDraws = 6000;
  std::map<std::pair<long, long>, long> seen;
  for (uint32_t sample = 0; sample < kDraws; sample++) {
    const Factorisation order = drawn_factorisation(6, 0.34, key_of(sample));
    seen[{order.predicted.at(0), order.predicted.at(1)}]++;
  }
  BOOST_TEST(seen.size() == 30u);
  double chi = 0;
  for (const auto& [pair, count] : seen) chi += std::pow(double(count) - kDraws / 30.0, 2) / (kDraws / 30.0);
  BOOST_TEST(chi < 58);
}

BOOST_AUTO_TEST_CASE(the_same_key_draws_the_same_and_another_sample_another) {
  BOOST_TEST((drawn_factorisation(40, 0.3, key_of(3)).predicted == drawn_factorisation(40, 0.3, key_of(3)).predicted));
  BOOST_TEST((drawn_factorisation(40, 0.3, key_of(3)).predicted != drawn_factorisation(40, 0.3, key_of(4)).predicted));
}

// Ids are 1000 + position, so that a random token is never the token itself.
BOOST_AUTO_TEST_CASE(copies_are_80_10_10_with_exact_counts_wherever_they_stand_in_the_order) {
  constexpr long kTexts = 400, b = 19;
  std::vector<int64_t> ids = counting(128);
  for (int64_t& id : ids) id += 1000;
  long masked = 0, random = 0, first_masked = 0;
  for (uint32_t sample = 0; sample < kTexts; sample++) {
    const Factorisation order = drawn_factorisation(128, 0.15, key_of(sample));
    const auto copies = drawn_copies(ids, order, {.V = 27, .mask = 27}, key_of(sample));
    long now_masked = 0, now_random = 0;
    for (size_t i = 0; i < copies.size(); i++) {
      const bool own = copies[i] == ids[size_t(order.predicted[i])];
      now_masked += copies[i] == 27, now_random += copies[i] < 27;
      BOOST_TEST((own || copies[i] <= 27));
    }
    BOOST_TEST((now_masked == 15 || now_masked == 16));  // 0.8 * 19 = 15.2
    BOOST_TEST((now_random >= 1 && now_random <= 2));    // 1.9
    masked += now_masked, random += now_random, first_masked += copies[0] == 27;
  }
  BOOST_TEST(std::abs(double(masked) / (kTexts * b) - 0.8) < 0.005);
  BOOST_TEST(std::abs(double(random) / (kTexts * b) - 0.1) < 0.005);
  BOOST_TEST(std::abs(double(first_masked) / kTexts - 0.8) < 0.08);  // 4 standard deviations
}

BOOST_AUTO_TEST_CASE(with_a_share_of_1_all_copies_are_masked) {
  const Factorisation order = drawn_factorisation(30, 0.5, key_of(1));
  const auto copies = drawn_copies(counting(30), order, {.V = 27, .mask = 27, .masked = 1, .random = 0}, key_of(1));
  BOOST_TEST(std::count(copies.begin(), copies.end(), 27) == 15);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_said) {
  const auto error = [](long n, double share, const std::vector<bool>& special = {}) {
    return error_of([&] { drawn_factorisation(n, share, key_of(0), special); });
  };
  BOOST_TEST(
      error(9, 0) ==
      "factorisation: the share of predicted tokens is 0; it must lie between 0 and 1, such as 0.15: some tokens "
      "are predicted, and others are seen");
  BOOST_TEST(error(9, 1).starts_with("factorisation: the share of predicted tokens is 1; it must"));
  BOOST_TEST(error(1, 0.15) ==
             "factorisation: the text has 1 token, and 1 is to be predicted from the others: it is shorter than its "
             "mask. Give a longer text, or a smaller share");
  BOOST_TEST(error(2, 0.9).starts_with("factorisation: the text has 2 tokens, and 2 are to be predicted"));
  BOOST_TEST(
      error(2, 0.15, {true, true}).starts_with("factorisation: the text has 2 tokens, special ones among them,"));
  BOOST_TEST(error(3, 0.15, {true}) ==
             "factorisation: the text has 3 tokens, and 1 marks say which of them are special");
  BOOST_TEST(error_of([] { drawn_copies({}, {}, {.masked = 0.8, .random = 0.3}, key_of(0)); }) ==
             "factorisation: shares of 0.8 masked and 0.3 random copies; none is below 0, and together they are at "
             "most 1");
}

BOOST_AUTO_TEST_SUITE_END()
