// Whole numbers at random: in their range, all of them equally likely, and the same for the same key.
#include "tensor/randint.h"

#include <algorithm>
#include <climits>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(randint_test)

BOOST_AUTO_TEST_CASE(numbers_are_in_their_range_and_equally_likely) {
  const std::vector<int64_t> dice = randint({60000}, -3, 3, 7).to_vector<int64_t>();
  for (long face = -3; face < 3; face++) {
    const double count = double(std::count(dice.begin(), dice.end(), face));
    BOOST_TEST(std::abs(count - 10000) < 400, face << " came " << count << " times");  // 4 deviations are 365
  }
  BOOST_TEST(*std::min_element(dice.begin(), dice.end()) == -3);
  BOOST_TEST(*std::max_element(dice.begin(), dice.end()) == 2);
}

BOOST_AUTO_TEST_CASE(a_key_gives_the_same_numbers_and_another_key_others) {
  const auto draw = [](const RandomKey& key) { return randint({2, 50}, key, 0, 1000000).to_vector<int64_t>(); };
  BOOST_TEST((draw({.seed = 1}) == draw({.seed = 1})));
  for (const RandomKey& other :
       {RandomKey{.seed = 2}, {.seed = 1, .step = 1}, {.seed = 1, .site = 1}, {.seed = 1, .sample = 1}})
    BOOST_TEST((draw(other) != draw({.seed = 1})));
  const Tensor more = randint({3, 50}, {.seed = 1}, 0, 1000000);  // an element depends on its number only
  const std::vector<int64_t> longer = more.to_vector<int64_t>(), first = draw({.seed = 1});
  BOOST_TEST(std::equal(first.begin(), first.end(), longer.begin()));
  BOOST_TEST((more.shape() == Shape{3, 50}));
  BOOST_TEST(more.dtype() == i64);
}

BOOST_AUTO_TEST_CASE(ranges_may_be_as_large_as_the_type_and_not_empty) {
  const std::vector<int64_t> wide = randint({100}, LONG_MIN, LONG_MAX, 1).to_vector<int64_t>();
  BOOST_TEST(std::any_of(wide.begin(), wide.end(), [](int64_t x) { return x < -(1L << 60); }));
  BOOST_TEST(std::any_of(wide.begin(), wide.end(), [](int64_t x) { return x > 1L << 60; }));
  BOOST_TEST(randint({3}, 5, 6, 1).to_vector<int64_t>()[2] == 5);
  BOOST_TEST(randint({0}, 5, 6, 1).numel() == 0);
  BOOST_TEST(error_of([] { randint({3}, 5, 5, 1); }) == "randint: low is 5 and high is 5; the rule is low < high");
}

BOOST_AUTO_TEST_SUITE_END()
