#include "system/text.h"

#include <clocale>
#include <cmath>

using namespace heed;

namespace {

using Words = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(text_test)

BOOST_AUTO_TEST_CASE(format_prints_as_printf_and_cuts_what_is_too_long) {
  BOOST_TEST(format("%s has %d of %.2f", "a", 3, 0.5) == "a has 3 of 0.50");
  BOOST_TEST(format("%s", std::string(1000, 'x').c_str()) == std::string(511, 'x'));
}

BOOST_AUTO_TEST_CASE(a_number_is_the_whole_text_or_nothing) {
  BOOST_TEST(number_in<long>("-12").value() == -12);
  BOOST_TEST(number_in<double>("1e-3").value() == 1e-3);
  BOOST_TEST(std::isnan(number_in<double>("nan").value()));
  for (const char* text : {"", " 3", "3 ", "3x", "1.5", "+3", "99999999999999999999", "0x10"})
    BOOST_TEST(!number_in<long>(text).has_value(), text);
  for (const char* text : {"", "1,5", "1.5f", "1e999", "--1"}) BOOST_TEST(!number_in<double>(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(numbers_have_a_point_in_every_locale) {
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where there is one, it has a comma
  BOOST_TEST(number_in<double>("1.5").value() == 1.5);
  BOOST_TEST(shortest_text(1.5) == "1.5");
  std::setlocale(LC_NUMERIC, "C");
}

BOOST_AUTO_TEST_CASE(the_shortest_text_reads_back_as_the_same_number) {
  BOOST_TEST(shortest_text(0.1) == "0.1");
  BOOST_TEST(shortest_text(0.1f) == "0.1");
  BOOST_TEST(shortest_text(12L) == "12");
  for (const double x : {1.0 / 3, 1e300, -4.9e-324, 123456789.123})
    BOOST_TEST(number_in<double>(shortest_text(x)).value() == x);
}

BOOST_AUTO_TEST_CASE(split_and_joined_are_inverse) {
  BOOST_TEST(joined({}, ", ") == "");
  BOOST_TEST(joined({"a", "b", "c"}, ", ") == "a, b, c");
  BOOST_TEST(split("a,,b", ',') == (Words{"a", "", "b"}), boost::test_tools::per_element());
  for (const std::string text : {"", "a", ",", "a,", ",a", "a,b,,c"}) BOOST_TEST(joined(split(text, ','), ",") == text);
}

BOOST_AUTO_TEST_CASE(wrapped_lines_break_between_words) {
  BOOST_TEST(wrapped("short", 10) == "short");
  BOOST_TEST(wrapped("one two three four", 10) == "one two\n  three\n  four");
  BOOST_TEST(wrapped("one two three four", 13, 0) == "one two three\nfour");
  BOOST_TEST(wrapped("  --steps N   how many of them", 20, 14) ==
             "  --steps N   how\n          many of\n          them");
  BOOST_TEST(wrapped("a-word-that-is-too-long and more", 10) == "a-word-that-is-too-long\n  and more");
  BOOST_TEST(wrapped("a-word-that-is-too-long", 10) == "a-word-that-is-too-long");
  BOOST_TEST(wrapped("trailing   ", 8) == "trailing   ");
  BOOST_TEST(wrapped("any text", std::string::npos) == "any text");
}

BOOST_AUTO_TEST_CASE(characters_of_utf_8_are_found_and_the_rest_is_a_dot) {
  BOOST_TEST(utf8_character("\u20ac...") == 3u);
  BOOST_TEST(utf8_character("\xe2\x82") == 0u);
  BOOST_TEST(utf8_may_go_on("\xe2\x82"));
  BOOST_TEST(!utf8_may_go_on("\xe2("));
  BOOST_TEST(!utf8_may_go_on("a"));
  BOOST_TEST(utf8_character("\xed\xa0\x80") == 0u);  // a surrogate
  BOOST_TEST(readable("a\x01\u00e4\n\xff") == "a\u00b7\u00e4\n\u00b7");
}

BOOST_AUTO_TEST_CASE(xml_text_has_no_markup_and_no_control_characters) {
  BOOST_TEST(xml_text("a < b && c > d\n\x01") == "a &lt; b &amp;&amp; c &gt; d  ");
}

BOOST_AUTO_TEST_CASE(json_text_stands_in_quotes_that_nothing_inside_can_end) {
  BOOST_TEST(json_text("say \"a\\b\"\t") == "\"say \\\"a\\\\b\\\" \"");
}

BOOST_AUTO_TEST_SUITE_END()
