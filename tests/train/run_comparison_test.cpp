// Runs side by side: their state, what differs, and seeds as groups.
#include "train/run_comparison.h"

#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(run_comparison_test)

namespace {

RunSummary run(const std::string& path, long width, long seed, double best) {
  return {.path = path,
          .settings = Json::Object{{"width", width}, {"rate", 0.1}, {"seed", seed}, {"version", path}},
          .step = 10,
          .last_step = 10,
          .last = best,
          .best = best};
}

std::string order_of(const Comparison& all) {
  std::string text;
  for (const Comparison::Group& group : all.groups()) {
    for (const RunSummary& each : group.runs) text += each.path + " ";
    text += "(" + group.differs + ") ";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(seeds_of_equal_settings_are_a_group_and_the_best_comes_first) {
  const std::vector<RunSummary> runs = {run("a", 16, 1, 3), run("b", 32, 1, 2.5), run("c", 16, 2, 2),
                                        run("d", 64, 1, NAN)};
  BOOST_TEST(order_of(Comparison(runs)) == "c a (width=16) b (width=32) d (width=64) ");  // 2.5 each: as given
  BOOST_TEST(order_of(Comparison({run("a", 16, 1, 3), run("b", 32, 1, 2)})) == "b (width=32) a (width=16) ");
  const Score accuracy{"accuracy", "", false};
  BOOST_TEST(order_of(Comparison({run("a", 16, 1, 0.5), run("b", 32, 1, 0.25), run("c", 8, 1, NAN)}, accuracy)) ==
             "a (width=16) b (width=32) c (width=8) ");
}

BOOST_AUTO_TEST_CASE(a_group_has_a_row_with_its_mean_and_spread) {
  const Page::Rows rows = Comparison({run("a", 16, 1, 3), run("b", 16, 2, 2)}).rows();
  BOOST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[0][0] == "2 seeds");
  BOOST_TEST(rows[0][2] == "2.5000 sd 0.7071");
  BOOST_TEST(rows[1][0] == "  b");
  BOOST_TEST(rows[1].back() == "seed 2");
  BOOST_TEST(Comparison({run("a", 16, 1, 3)}).rows().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_run_tells_its_state) {
  BOOST_TEST(RunSummary{}.state() == "not begun");
  BOOST_TEST((RunSummary{.step = 3, .last_step = 10}.state()) == "stopped at step 3 of 10");
  BOOST_TEST((RunSummary{.step = 10, .last_step = 10}.state()) == "done");
  const Folder folder;
  const RunFolder here(folder.path.string());
  BOOST_TEST(!summary_of(here, {}).running);
  const RunLock lock(here);
  BOOST_TEST(summary_of(here, {.last_step = 5}).state() == "running, step 0 of 5");
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_they_need_be) {
  BOOST_TEST(columns_text({{"run", "n", "what"}, {"a", "100", "b"}}) == "run    n  what\na    100  b\n");
}

BOOST_AUTO_TEST_SUITE_END()
