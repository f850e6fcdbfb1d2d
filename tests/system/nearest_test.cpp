#include "system/nearest.h"

#include "tests/support/error_of.h"

using namespace heed;

namespace {

std::string nearest(const std::string& given) { return nearest_name(given, {"window", "local", "full", "longformer"}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(nearest_test)

BOOST_AUTO_TEST_CASE(a_letter_changed_added_or_left_out_is_forgiven) {
  for (const char* given : {"window", "windiw", "windoow", "windw", "wndw"}) BOOST_TEST(nearest(given) == "window");
}

BOOST_AUTO_TEST_CASE(neighbours_swapped_are_one_change_and_capitals_are_none) {
  BOOST_TEST(nearest("wnidwo") == "window");
  BOOST_TEST(nearest("lonfgormer") == "longformer");
  BOOST_TEST(nearest("FULL") == "full");
}

BOOST_AUTO_TEST_CASE(what_is_far_from_everything_has_no_nearest) {
  for (const char* given : {"", "x", "performance", "bigbird"}) BOOST_TEST(nearest(given) == "", given);
  BOOST_TEST(nearest_name("window", {}) == "");
}

BOOST_AUTO_TEST_CASE(of_two_equally_near_names_the_first_is_taken) {
  BOOST_TEST(nearest_name("adamv", {"adam", "adamw"}) == "adam");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_an_error_with_the_known_ones_and_the_nearest) {
  BOOST_TEST(error_of([] {
               fail_unknown("feed_forward", "activation", "glue", {"relu", "gelu", "glu"});
             }) == "feed_forward: there is no activation 'glue'; there are relu, gelu, glu. Did you mean glu?");
  BOOST_TEST(error_of([] {
               fail_unknown("feed_forward", "activation", "softplus", {"relu", "gelu"});
             }) == "feed_forward: there is no activation 'softplus'; there are relu, gelu");
  BOOST_TEST(error_of([] { fail_unknown("full", "option", "left", {}); }) ==
             "full: there is no option 'left'; there are none at all");
}

BOOST_AUTO_TEST_SUITE_END()
