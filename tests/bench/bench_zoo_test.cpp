// `bench zoo` and `bench zoo-pictures`: a moment of training each.
#include <cmath>
#include <filesystem>
#include <iostream>

#include "bench/zoo.h"
#include "system/json.h"
#include "system/write_file.h"
#include "tests/support/captured.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
using namespace heed::bench;

BOOST_AUTO_TEST_SUITE(bench_zoo_test)

namespace {

struct Bench {
  Folder folder;
  Settings settings{.benchmark = "zoo", .seconds = 0.01, .threads = 1};

  Bench() {
    std::string text;
    while (text.size() < 40'000) text += "a text that is easily learned, for it says the same again and again\n";
    write_file(settings.data = folder / "text", text);
    settings.json = folder / "out.json", settings.svg = folder / "out.svg";
  }
  std::string run(const std::string& only) {
    settings.only = only;
    const Captured out(std::cout), err(std::cerr);
    const Benchmark& benchmark = all_benchmarks.find(settings.benchmark);
    benchmark.run(benchmark, settings);
    return out.text.str();
  }
  Json rows() const { return Json::parse(read_file(settings.json), "the report").at("results"); }
};

// An animal that cannot be, and that counts how often it was asked.
struct Cage {
  int asked = 0;
  Zoo zoo{.unit = "bits", .about = "nothing", .usual = "full"};
  Benchmark benchmark{"zoo", "", [] { return zoo_cases("a cage", {"dodo"}); }, nullptr};

  Cage() {
    zoo.animals.push_back({"dodo", [this]() -> std::unique_ptr<TaskLearner> {
                             asked++;
                             throw Error("dodo: there are none left");
                           }});
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_goes_on_behind_the_rows_that_its_file_has) {
  Bench bench;
  bench.run("local-neighbours");
  const Json first = bench.rows();
  BOOST_REQUIRE(first.items().size() == 1u);
  const Json& row = first.items()[0];
  BOOST_TEST(row.at("name").text() == "local-neighbours");
  BOOST_TEST(row.at("score").number() > 0);
  BOOST_TEST(row.at("score").number() < 9);
  BOOST_TEST(row.at("steps").integer() >= 1);
  BOOST_TEST(row.at("peak_bytes").number() > 4.0 * double(row.at("parameters").integer()));
  bench.run("local");  // and local itself
  BOOST_REQUIRE(bench.rows().items().size() > 1u);
  BOOST_TEST((bench.rows().items()[0] == row));
  BOOST_TEST(read_file(bench.settings.svg).find("local-neighbours") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_of_other_work_are_not_mixed) {
  Bench bench;
  bench.run("local-neighbours");
  const std::string before = read_file(bench.settings.json);
  bench.settings.seconds = 0.02;
  const std::string error = error_of([&] { bench.run("local-neighbours"); });
  BOOST_TEST(error.find("bench: " + bench.settings.json + " has rows of '0.01 s each, 1 threads") == 0u, error);
  BOOST_TEST(error.find("; remove it, or name another file with --json") != std::string::npos, error);
  BOOST_TEST(read_file(bench.settings.json) == before);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_trained_is_a_row_with_its_reason) {
  Bench bench;
  Cage cage;
  for (int i = 0; i < 2; i++) {
    const Captured out(std::cout);
    run_zoo(cage.benchmark, bench.settings, cage.zoo);
  }
  BOOST_TEST(cage.asked == 1);
  BOOST_REQUIRE(bench.rows().items().size() == 1u);
  BOOST_TEST(bench.rows().items()[0].at("problem").text() == "dodo: there are none left");
}

BOOST_AUTO_TEST_CASE(a_text_is_needed) {
  Bench bench;
  bench.settings.data = "";
  BOOST_TEST(error_of([&] { bench.run("full"); }) == "bench: there is no text to learn from. Give one: --data FILE");
}

BOOST_AUTO_TEST_CASE(pictures_are_drawn_in_the_order_that_an_attention_wants) {
  Bench bench;
  bench.settings.benchmark = "zoo-pictures", bench.settings.data = "shapes:pictures=100";
  bench.run("order blocks");
  const Json rows = bench.rows();
  BOOST_REQUIRE(rows.items().size() == 1u);
  BOOST_TEST(rows.items()[0].at("name").text() == "image-local:query=7x14,flange=7x14, order blocks:7x14");
  BOOST_TEST(std::abs(rows.items()[0].at("score").number() - std::log(16.0)) < 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
