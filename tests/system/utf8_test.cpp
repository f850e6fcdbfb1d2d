// UTF-8: what is a character, and what is not.
#include "system/utf8.h"

#include "system/text.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(utf8_test)

BOOST_AUTO_TEST_CASE(characters_have_one_to_four_bytes) {
  BOOST_TEST(utf8_character("a") == 1u);
  BOOST_TEST(utf8_character("\u00e4b") == 2u);
  BOOST_TEST(utf8_character("\u20ac") == 3u);
  BOOST_TEST(utf8_character("\U0001f600 ") == 4u);
  BOOST_TEST(utf8_character("") == 0u);
  BOOST_TEST(is_utf8("a \u00e4 \u20ac \U0001f600\n"));
  BOOST_TEST(is_utf8(""));
}

BOOST_AUTO_TEST_CASE(other_bytes_are_none) {
  for (const char* bad : {"\xff", "\x80", "\xc3", "\xf0\x9f\x98", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    BOOST_TEST(utf8_character(bad) == 0u);
    BOOST_TEST(!is_utf8(std::string("text ") + bad));
  }
}

BOOST_AUTO_TEST_SUITE_END()
