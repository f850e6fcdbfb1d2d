// Tokens and their attention weights, put together by characters.
#include "show/characters.h"

#include "tensor/create.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(characters_test)

namespace {

using Texts = std::vector<std::string>;

Texts bytes_of(const std::string& text) {
  Texts bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  return bytes;
}

void check(const Texts& tokens, const Texts& texts, const std::vector<long>& ends) {
  const Characters all = characters_of(tokens);
  BOOST_TEST(all.texts == texts, boost::test_tools::per_element());
  BOOST_TEST(all.ends == ends, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_bytes_of_a_character_stand_together) {
  check(bytes_of("a\u00e4\n"), {"a", "\u00e4", "\n"}, {1, 3, 4});
  check(bytes_of("\u20ac\U0001f600x"), {"\u20ac", "\U0001f600", "x"}, {3, 7, 8});
  check({}, {}, {});
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_character_stand_alone) {
  check(bytes_of("\xff\x61\xc3"), {"\u00b7", "a", "\u00b7"}, {1, 2, 3});  // cut off at the end
  check(bytes_of("\xe2\x82\x61"), {"\u00b7\u00b7", "a"}, {2, 3});         // and before another character
  check(bytes_of("\xe0\x80\x80"), {"\u00b7\u00b7", "\u00b7"}, {2, 3});    // longer than it need be
}

BOOST_AUTO_TEST_CASE(tokens_stay_apart_where_characters_end) {
  check({"The ", "b\xc3", "\xa4r", "en"}, {"The ", "b\u00e4r", "en"}, {1, 3, 4});
}

BOOST_AUTO_TEST_CASE(weights_are_added_up_over_what_is_looked_at) {
  const Characters all = characters_of({"\xc3", "\xa4", "b"});
  const Tensor weights = tensor({1, 0, 0, 0.25, 0.75, 0, 0.5, 0.25, 0.25}, {1, 3, 3}, f64);
  const Tensor together = grouped(weights, all);
  BOOST_TEST(together.to_vector<double>() == (std::vector<double>{1, 0, 0.75, 0.25}), boost::test_tools::per_element());
  const Tensor ascii = ones({2, 2, 2});
  BOOST_TEST(grouped(ascii, characters_of({"a", "b"})).size(1) == 2);
  BOOST_TEST(error_of([&] {
               grouped(ones({1, 2, 2}), all);
             }) == "grouped: the weights are (1, 2, 2); for 3 tokens they must be (H, 3, 3)");
}

BOOST_AUTO_TEST_SUITE_END()
