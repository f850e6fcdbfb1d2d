#include "system/spec.h"

#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr SpecRule kRule{"attention"};
constexpr SpecRule kNameless{"schedule", "shape:option=value", false};

std::string refusal(const std::string& text, const SpecRule& rule = kRule) {
  return error_of([&] { Spec(text, rule); });
}

double number(const std::string& value) { return number_of("window", {"left", value}, -1, 1e6); }

}  // namespace

BOOST_AUTO_TEST_SUITE(spec_test)

BOOST_AUTO_TEST_CASE(a_name_comes_first_and_options_keep_their_order) {
  const Spec spec("window:right=64,left=-1,bias=", kRule);
  BOOST_TEST(spec.name == "window");
  BOOST_TEST_REQUIRE(spec.options.size() == 3u);
  BOOST_TEST((spec.options[0].name == "right" && spec.options[0].value == "64"));
  BOOST_TEST((spec.options[1].name == "left" && spec.options[1].value == "-1"));
  BOOST_TEST((spec.options[2].name == "bias" && spec.options[2].value == ""));
  BOOST_TEST(Spec("a:b=c=d:e", kRule).options[0].value == "c=d:e");
}

BOOST_AUTO_TEST_CASE(a_bare_name_has_no_options) {
  for (const SpecRule& rule : {kRule, kNameless}) {
    BOOST_TEST(Spec("full", rule).name == "full");
    BOOST_TEST(Spec("full", rule).options.empty());
    BOOST_TEST(Spec("", rule).name == "");
  }
}

BOOST_AUTO_TEST_CASE(options_stand_without_a_name_only_where_the_rule_allows_it) {
  BOOST_TEST(Spec("left=3", kRule).name == "left=3");
  BOOST_TEST(Spec("left=3", kRule).options.empty());
  const Spec spec("left=3,right=4", kNameless);
  BOOST_TEST(spec.name == "");
  BOOST_TEST((spec.options.size() == 2u && spec.options[1].name == "right"));
}

BOOST_AUTO_TEST_CASE(a_part_that_is_no_option_is_refused_with_the_whole_text_and_the_rule) {
  const auto text = [](const std::string& spec, const std::string& part) {
    return "attention: '" + spec + "' has '" + part +
           "' where an option is expected; the rule is name:option=value,option=value";
  };
  BOOST_TEST(refusal("window:left") == text("window:left", "left"));
  for (const std::string spec : {"window:", "window:left=3,", "window:,left=3", "window:left=3,,right=2"})
    BOOST_TEST(refusal(spec) == text(spec, ""));
  BOOST_TEST(refusal("steps=3,rate", kNameless) ==
             "schedule: 'steps=3,rate' has 'rate' where an option is expected; the rule is shape:option=value");
}

BOOST_AUTO_TEST_CASE(an_option_given_twice_is_refused) {
  BOOST_TEST(refusal("window:left=3,right=2,left=3") == "attention: 'window:left=3,right=2,left=3' gives left twice");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  for (const std::string text : {"full", "window:left=3", "window:right=64,left=-1,bias="}) {
    const Spec spec(text, kRule);
    BOOST_TEST(spec_text(spec.name, spec.options) == text);
  }
}

BOOST_AUTO_TEST_CASE(a_value_that_is_no_number_in_the_range_is_refused_with_the_range) {
  BOOST_TEST(number("-1") == -1);
  BOOST_TEST(number("1e6") == 1e6);
  BOOST_TEST(number("2.5") == 2.5);
  for (const std::string value : {"x", "", "inf", "nan", " 3", "3x", "-2", "1000001", "1,5"})
    BOOST_TEST(error_of([&] { number(value); }) ==
               "window: got left=" + value + "; it must be a number from -1 to 1000000");
}

BOOST_AUTO_TEST_CASE(a_whole_number_may_be_written_in_any_way_but_has_no_fraction) {
  BOOST_TEST(whole_number_of("window", {"left", "1e1"}, 0, 100) == 10);
  BOOST_TEST(error_of([] {
               whole_number_of("window", {"left", "1.5"}, 0, 100);
             }) == "window: got left=1.5; it must be a whole number");
}

BOOST_AUTO_TEST_SUITE_END()
