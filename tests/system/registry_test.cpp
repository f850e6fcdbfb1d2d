#include "system/registry.h"

#include "tests/support/error_of.h"

using namespace heed;

namespace {

struct Fruit {
  std::string name;
  int stones = 0;
};
constinit Registry<Fruit> fruits{"basket", "fruit"};
using RegisteredFruit = Registration<fruits>;

const RegisteredFruit plum{{"plum", 1}}, apple{{"apple"}}, cherry{{.name = "cherry", .stones = 1}};

using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(system_registry_test)

BOOST_AUTO_TEST_CASE(static_objects_are_found_by_name_and_listed_in_the_order_of_names) {
  BOOST_TEST(fruits.names() == (Names{"apple", "cherry", "plum"}), boost::test_tools::per_element());
  BOOST_TEST(fruits.find("plum").stones == 1);
  BOOST_TEST(fruits.find_or_null("apple") == &fruits.find("apple"));
  BOOST_TEST(fruits.all()[1]->name == "cherry");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_answered_with_the_known_ones_and_the_nearest) {
  BOOST_TEST(fruits.find_or_null("plumb") == nullptr);
  BOOST_TEST(error_of([] { fruits.find("plumb"); }) ==
             "basket: there is no fruit 'plumb'; there are apple, cherry, plum. Did you mean plum?");
  BOOST_TEST(error_of([] { fruits.find("grapefruit"); }) ==
             "basket: there is no fruit 'grapefruit'; there are apple, cherry, plum");
  static constinit Registry<Fruit> empty{"bowl", "fruit"};
  BOOST_TEST(error_of([] { empty.find("plum"); }) == "bowl: there is no fruit 'plum'; there are none at all");
}

BOOST_AUTO_TEST_CASE(an_entry_is_known_for_as_long_as_its_object_lives) {
  {
    const RegisteredFruit banana({"banana"});
    BOOST_TEST(fruits.names() == (Names{"apple", "banana", "cherry", "plum"}), boost::test_tools::per_element());
  }
  BOOST_TEST(fruits.names() == (Names{"apple", "cherry", "plum"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_of_one_name_are_refused_with_both_places_when_somebody_asks) {
  const std::string here = "tests/system/registry_test.cpp:";
  {
    const RegisteredFruit second({"apple", 2});  // says nothing yet
    const std::string text = error_of([] { fruits.all(); });
    BOOST_TEST(text.starts_with("basket: the fruit 'apple' is registered twice, at " + here));
    BOOST_TEST(text.find(" and at " + here) != std::string::npos);
    BOOST_TEST(text.ends_with("; rename one of them"));
    BOOST_TEST(error_of([] { fruits.names(); }) == text);
    BOOST_TEST(error_of([] { fruits.find("plum"); }) == text);
    BOOST_TEST(error_of([] { fruits.find_or_null("grape"); }) == text);
  }
  BOOST_TEST(fruits.find("apple").stones == 0);
}

BOOST_AUTO_TEST_SUITE_END()
