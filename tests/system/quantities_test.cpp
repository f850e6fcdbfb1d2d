#include "system/quantities.h"

#include <utility>
#include <vector>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(quantities_test)

BOOST_AUTO_TEST_CASE(numbers_are_told_with_three_digits) {
  for (const auto& [x, text] : std::vector<std::pair<double, const char*>>{
           {0.01234, "0.0123"}, {1.5, "1.50"}, {99.96, "100"}, {123.4, "123"}, {12345, "12345"}, {0, "0"}})
    BOOST_TEST(three_digits(x) == text);
  BOOST_TEST(time_text(0.0000123) == "12.3 us");
  BOOST_TEST(time_text(0.00456) == "4.56 ms");
  BOOST_TEST(time_text(2) == "2.00 s");
  BOOST_TEST(ratio_text(0.954) == "0.95x");
  BOOST_TEST(ratio_text(12.34) == "12.3x");
  BOOST_TEST(ratio_text(1234.5) == "1234x");
}

BOOST_AUTO_TEST_CASE(long_numbers_have_commas) {
  for (const auto& [number, text] : std::vector<std::pair<long, const char*>>{
           {0, "0"}, {999, "999"}, {1000, "1,000"}, {16'384, "16,384"}, {-1'234'567, "-1,234,567"}, {-123, "-123"}})
    BOOST_TEST(with_commas(number) == text);
}

BOOST_AUTO_TEST_SUITE_END()
