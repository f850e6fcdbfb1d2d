#include "data/delimited.h"

#include "tests/support/error_of.h"

using namespace heed;
using Fields = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(delimited_test)

BOOST_AUTO_TEST_CASE(csv_fields_may_be_quoted) {
  const auto rows = parse_csv("a,b c\r\n\"x, y\",\"he said \"\"no\"\"\"\n\n\"two\nlines\",\nlast,row", "csv", "a.csv");
  BOOST_REQUIRE(rows.size() == 4u);
  BOOST_TEST((rows[0].fields == Fields{"a", "b c"}));
  BOOST_TEST((rows[1].fields == Fields{"x, y", "he said \"no\""}));
  BOOST_TEST((rows[2].fields == Fields{"two\nlines", ""}));
  BOOST_TEST((rows[3].fields == Fields{"last", "row"}));
  for (const auto& [row, line] : {std::pair{0, 1L}, {1, 2L}, {2, 4L}, {3, 6L}})
    BOOST_TEST(rows[size_t(row)].line == line);
  BOOST_TEST(parse_csv("", "csv", "a.csv").empty());
}

BOOST_AUTO_TEST_CASE(wrong_quotes_are_told_with_file_and_line) {
  BOOST_TEST(error_of([] { parse_csv("a,b\nc,\"d\ne", "csv", "a.csv"); }) ==
             "csv: a.csv:2: a quote is opened and never closed");
  BOOST_TEST(error_of([] { parse_csv("a,b\n\"c\" d,e\n", "csv", "a.csv"); }) ==
             "csv: a.csv:2: there is text behind a closing quote; write a quote inside of a quoted field twice");
}

BOOST_AUTO_TEST_CASE(tsv_takes_quotes_as_they_are) {
  const auto rows = parse_tsv("a\t\"b\r\n\nc\td, e\t\n");
  BOOST_REQUIRE(rows.size() == 2u);
  BOOST_TEST((rows[0].fields == Fields{"a", "\"b"}));
  BOOST_TEST((rows[1].fields == Fields{"c", "d, e", ""}));
  BOOST_TEST(rows[1].line == 3);
}

BOOST_AUTO_TEST_SUITE_END()
