#include "system/function_ref.h"

#include <string>

using namespace heed;

namespace {

int twice(int x) { return 2 * x; }
int called(FunctionRef<int(int)> f, int x) { return f(x); }

struct Counter {
  int calls = 0;
  int operator()(int x) { return x + ++calls; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(function_ref_test)

BOOST_AUTO_TEST_CASE(lambdas_functions_and_objects_are_called_in_place) {
  const int more = 5;
  BOOST_TEST(called([&](int x) { return x + more; }, 1) == 6);
  BOOST_TEST(called(twice, 4) == 8);
  BOOST_TEST(called(&twice, 4) == 8);
  Counter counter;
  called(counter, 0), called(counter, 0);
  BOOST_TEST(counter.calls == 2);  // the object itself, no copy
}

BOOST_AUTO_TEST_CASE(references_are_handed_on_as_references) {
  std::string text;
  const auto add = [](std::string& to) { to += "x"; };
  const FunctionRef<void(std::string&)> f(add), copy = f;
  f(text), copy(text);
  BOOST_TEST(text == "xx");
}

BOOST_AUTO_TEST_SUITE_END()
