// Words of commands, as a shell reads them.
#include "system/shell_quoted.h"

#include <cstdio>

using namespace heed;

BOOST_AUTO_TEST_SUITE(shell_quoted_test)

BOOST_AUTO_TEST_CASE(plain_words_stay_and_others_are_quoted) {
  BOOST_TEST(shell_quoted("runs/mine-2.b") == "runs/mine-2.b");
  BOOST_TEST(shell_quoted("my runs") == "'my runs'");
  BOOST_TEST(shell_quoted("") == "''");
  BOOST_TEST(shell_quoted("it's") == "'it'\\''s'");
}

BOOST_AUTO_TEST_CASE(a_shell_reads_the_very_word) {
  for (const std::string word :
       {"a b", "$HOME", "`id`", "x; id", "a'b\"c", "*", "~", "a\nb", "\\", "#", "&&", "\xff"}) {
    FILE* shell = ::popen(("printf %s " + shell_quoted(word)).c_str(), "r");
    BOOST_REQUIRE(shell != nullptr);
    std::string read;
    for (int c; (c = std::fgetc(shell)) != EOF;) read += char(c);
    ::pclose(shell);
    BOOST_TEST(read == word);
  }
}

BOOST_AUTO_TEST_SUITE_END()
