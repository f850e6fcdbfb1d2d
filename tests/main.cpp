// The test program: Boost.Test with all its options (--help), and a last line `N passed, N failed` for people and CI.
#include "tests/support/at_end.h"

#include <unistd.h>

#include <algorithm>
#include <boost/test/results_collector.hpp>
#include <boost/test/tree/observer.hpp>
#include <boost/test/tree/traverse.hpp>
#include <boost/test/tree/visitor.hpp>
#include <boost/test/unit_test_parameters.hpp>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ut = boost::unit_test;

namespace {

// Static AtEnd objects are made in any order, so the list is made by whoever needs it first.
std::vector<std::pair<const char*, void (*)()>>& at_end_checks() {
  static std::vector<std::pair<const char*, void (*)()>> checks;
  return checks;
}

// Counts the test cases when all have run. Those a filter left out are not visited. After a crash Boost does not run
// the rest and calls it passed; we know better.
struct Summary : ut::test_observer, ut::test_tree_visitor {
  int passed = 0;
  std::vector<std::string> failed, skipped;
  std::set<ut::test_unit_id> ran;
  bool finished = false;

  int priority() override { return 4; }  // behind Boost's own: in front of them it reads a flag they have not set yet
  void test_unit_finish(const ut::test_unit& unit, unsigned long /*microseconds*/) override { ran.insert(unit.p_id); }
  void test_finish() override {
    ut::traverse_test_tree(ut::framework::master_test_suite(), *this);
    finished = true;
  }
  void visit(const ut::test_case& test) override {
    const auto& result = ut::results_collector.results(test.p_id);
    if (result.p_skipped)
      skipped.push_back(test.full_name());
    else if (!ran.count(test.p_id))
      failed.push_back(test.full_name() + " (not run)");
    else if (!result.passed())
      failed.push_back(test.full_name());
    else
      passed++;
  }
};

Summary summary;

bool add_tests() {
  auto& all = ut::framework::master_test_suite();
  all.p_name.value = "heed";
  ut::framework::register_observer(summary);
  namespace config = ut::runtime_config;
  if (!config::get<std::vector<std::string>>(config::btrt_run_filters).empty()) return true;
  for (auto [name, check] : at_end_checks()) all.add(ut::make_test_case(check, name, __FILE__, __LINE__));
  return true;
}

}  // namespace

AtEnd::AtEnd(const char* name, void (*check)()) { at_end_checks().emplace_back(name, check); }

int main(int argc, char** argv) {
  setenv("BOOST_TEST_REPORT_LEVEL", "no", 0);  // the summary below says it; --report_level=short brings Boost's back
  if (!isatty(1)) setenv("BOOST_TEST_COLOR_OUTPUT", "no", 0);
  const int code = ut::unit_test_main(add_tests, argc, argv);
  if (!summary.finished && code == 0) return 0;  // --help, --list_content, ...

  long cuda = 0;
  for (const auto& name : summary.skipped)
    if (name.starts_with("cuda_"))
      cuda++;
    else
      std::printf("skipped: %s\n", name.c_str());
  if (cuda) std::printf("skipped: %ld tests that need cuda, which `make cuda-test` runs\n", cuda);
  for (const auto& name : summary.failed) std::printf("failed: %s\n", name.c_str());
  // A failure outside the test cases (a fixture, a filter that matches nothing) counts as one.
  const int failed = std::max(static_cast<int>(summary.failed.size()), code != 0 ? 1 : 0);
  std::printf("%d passed, %d failed\n", summary.passed, failed);
  std::fflush(stdout);  // a sanitizer may end the process before exit does it
  return failed == 0 ? 0 : 1;
}
