// What a set of orderings has reached: the yardstick, the order of the rows, and what is still missing.
#include "tasks/language/ordering_results.h"

#include <filesystem>

#include "tests/show/xml.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"
#include "train/checkpoint_files.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(ordering_results_test)

namespace {

// The folder of a set whose runs have come to some step, with some score.
struct Set {
  Folder folder;
  LmSettings settings = tiny_lm();
  PlannedRuns planned;

  explicit Set(const OrderingSet& set = {.set = "sandwich:1,fssf", .baseline_seeds = 3}) {
    settings.layers = 2;
    planned = planned_runs(set, settings);
  }
  std::string run(const std::string& name) const { return folder / name; }
  void reach(const std::string& name, double score, long step = 40) const {
    CheckpointFiles(run(name)).save({.step = step, .settings = "{}", .numbers = {{kValidBpc, score}}});
  }
  void reach_baseline() const {
    reach("interleaved-seed-1", 2.0), reach("interleaved-seed-2", 2.1), reach("interleaved-seed-3", 2.2);
  }
  OrderingResults results() const { return ordering_results(folder.path.string(), planned, settings); }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> names(const OrderingResults& results) {
  std::vector<std::string> list;
  for (const OrderingRow& row : results.rows) list.push_back(row.name);
  return list;
}

constexpr double kTight = 1e-12;

}  // namespace

BOOST_AUTO_TEST_CASE(the_baseline_has_a_mean_and_the_standard_deviation_of_a_sample) {
  const Set set;
  set.reach_baseline();
  const OrderingResults results = set.results();
  BOOST_TEST(std::abs(results.mean - 2.1) < kTight);
  BOOST_TEST(std::abs(results.spread - 0.1) < kTight);
  BOOST_TEST(results.missing() == 2);
}

BOOST_AUTO_TEST_CASE(rows_are_sorted_and_differences_are_in_units_of_the_spread) {
  const Set set;
  set.reach_baseline();
  set.reach("sandwich-1-seed-1", 1.85);
  set.reach("fssf-seed-1", 2.3);
  const OrderingResults results = set.results();
  BOOST_TEST((names(results) == std::vector<std::string>{"sandwich:1", "interleaved", "fssf"}));
  BOOST_TEST(std::abs(results.difference(results.rows[0]) + 2.5) < 1e-9);
  BOOST_TEST(std::abs(results.difference(results.rows[2]) - 2) < 1e-9);
  BOOST_TEST(results.missing() == 0);
}

BOOST_AUTO_TEST_CASE(a_run_counts_when_its_last_step_has_a_score) {
  const Set set;
  const std::string run = set.run("fssf-seed-1");
  BOOST_TEST(std::isnan(finished_score(run, 40)));
  set.reach("fssf-seed-1", 3, 20);
  BOOST_TEST(std::isnan(finished_score(run, 40)));
  set.reach("fssf-seed-1", 2.5);
  BOOST_TEST(finished_score(run, 40) == 2.5);
  CheckpointFiles(run).save({.step = 50, .settings = "{}"});  // stopped there, without a validation
  BOOST_TEST(std::isnan(finished_score(run, 50)));
  fs::resize_file(CheckpointFiles(run).path(50), 20);
  BOOST_TEST(std::isnan(finished_score(run, 50)));
}

BOOST_AUTO_TEST_CASE(what_is_missing_stands_last_and_is_named) {
  const Set set({.set = "sandwich:1,fssf", .seeds = 2, .baseline_seeds = 1});
  set.reach("fssf-seed-2", 2.5);
  set.reach("interleaved-seed-1", 3);
  const OrderingResults results = set.results();
  BOOST_TEST((names(results) == std::vector<std::string>{"fssf", "interleaved", "sandwich:1"}));
  BOOST_TEST(results.missing() == 3);
  BOOST_TEST((results.rows[0].missing == std::vector<std::string>{"fssf-seed-1"}));
  BOOST_TEST(std::isnan(results.spread));  // a single seed tells nothing
  BOOST_TEST(std::isnan(results.difference(results.rows[0])));
}

BOOST_AUTO_TEST_CASE(the_table_has_a_line_for_each_ordering_and_says_the_yardstick) {
  const Set set;
  set.reach_baseline();
  set.reach("sandwich-1-seed-1", 1.85);
  const std::string parameters = std::to_string(set.planned.runs[0].parameters);
  BOOST_TEST(
      results_text(set.results()) ==
      "ordering               letters  parameters  bits per byte  difference  in sd\n"
      "sandwich:1             ssff          " +
          parameters +
          "         1.8500     -0.2500   -2.5\n"
          "interleaved (3 seeds)  sfsf          " +
          parameters +
          "         2.1000\n"
          "fssf                   fssf          " +
          parameters +
          "              -           -      -\n"
          "Interleaved, the baseline: mean 2.1000, standard deviation (sd) 0.1000: so much a seed alone changes. A "
          "single run that differs by less than 2 sd may do so by chance.\n");
  BOOST_TEST(contains(results_text(Set().results()), "is not known yet: it takes two runs of interleaved"));
}

BOOST_AUTO_TEST_CASE(json_has_every_number) {
  const Set set;
  set.reach_baseline();
  set.reach("sandwich-1-seed-1", 1.85);
  const Json json = results_json(set.results());
  BOOST_TEST(json.at("event").text() == "orderings");
  BOOST_TEST(json.at("runs").integer() == 5);
  BOOST_TEST(json.at("missing").integer() == 1);
  BOOST_TEST(std::abs(json.at("spread").number() - 0.1) < kTight);
  const auto& rows = json.at("orderings").items();
  BOOST_TEST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[0].at("valid_bpc").number() == 1.85);
  BOOST_TEST(rows[0].at("letters").text() == "ssff");
  BOOST_TEST(rows[1].at("baseline").truth());
  BOOST_TEST(rows[1].at("scores").items().size() == 3u);
  BOOST_TEST(rows[2].at("valid_bpc").is_null());
  BOOST_TEST(rows[2].at("missing").items().at(0).text() == "fssf-seed-1");
}

BOOST_AUTO_TEST_CASE(the_chart_has_the_band_of_the_baseline_and_all_rows) {
  const Set set;
  set.reach_baseline();
  const LettersChart chart = results_chart(set.results());
  BOOST_TEST(chart.title == "Orderings of 2 layers");
  BOOST_TEST(chart.subtitle == "40 steps of 4 x 16 bytes for every run");
  BOOST_TEST(std::abs(chart.usual - 2.1) < kTight);
  BOOST_TEST(std::abs(chart.spread - 0.1) < kTight);
  BOOST_TEST_REQUIRE(chart.rows.size() == 3u);
  BOOST_TEST(chart.rows[0].strong);
  BOOST_TEST(chart.rows[0].values.size() == 3u);
  BOOST_TEST((chart.rows[1].notes == std::vector<std::string>{"", "to come"}));
  BOOST_TEST_REQUIRE(chart.meanings.size() == 2u);
  BOOST_TEST(chart.meanings[0].what == "attention");
  BOOST_TEST(chart.meanings[1].what == "feed-forward");
}

BOOST_AUTO_TEST_CASE(the_page_shows_what_there_is_and_what_is_missing) {
  const Set set;
  set.reach_baseline();
  fs::create_directories(set.run("interleaved-seed-2"));
  std::ofstream(set.run("interleaved-seed-2") + "/index.html") << "a page";
  write_results(set.results(), {.about = "orderings of <this>", .commands = {"go on"}});
  const std::string page = read_file(set.folder / "index.html");
  BOOST_TEST(contains(page, "orderings of &lt;this&gt;"));
  BOOST_TEST(contains(page, "<b>3 of 5</b>runs"));
  BOOST_TEST(contains(page, "2 of 5 runs are still to be trained: sandwich-1-seed-1, fssf-seed-1."));
  BOOST_TEST(contains(page, "<a href='interleaved-seed-2/index.html'>"));
  BOOST_TEST(count(page, "<a href=") == 1);  // the others have no page yet
  BOOST_TEST(contains(page, "<tr><td>width</td><td>16</td></tr>"));
  BOOST_TEST(contains(page, read_file(set.folder / "orderings.svg")));
  BOOST_TEST(read_file(set.folder / "orderings.png").starts_with("\x89PNG"));
  set.reach("sandwich-1-seed-1", 2), set.reach("fssf-seed-1", 2);
  write_results(set.results(), {});
  BOOST_TEST(!contains(read_file(set.folder / "index.html"), "still to be trained"));
  BOOST_TEST(!contains(read_file(set.folder / "index.html"), "Going on"));
}

BOOST_AUTO_TEST_SUITE_END()
