// `bench learning`, with a text of some kilobytes, a moment of training, and a peer that is a shell script.
#include <filesystem>
#include <iostream>

#include "bench/harness.h"
#include "system/json.h"
#include "system/write_file.h"
#include "tests/support/captured.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
using namespace heed::bench;

BOOST_AUTO_TEST_SUITE(bench_learning_test)

namespace {

const Benchmark& learning() { return all_benchmarks.find("learning"); }

struct Bench {
  Folder folder;
  Settings settings{.benchmark = "learning", .seconds = 0.01, .threads = 1, .only = "seed 1"};

  Bench() {
    std::string text;
    while (text.size() < 12'000) text += "a text that is easily learned, for it says the same again and again\n";
    write_file(settings.data = folder / "text", text);
    settings.json = folder / "out.json", settings.svg = folder / "out.svg";
  }

  // Answers every validation with these words.
  void give_peer(const std::string& standing) {
    write_file(
        settings.peer = folder / "peer",
        "#!/bin/sh\n"
        "while read verb what rest; do case $verb.$what in probe*) echo 'Shell 1.0';; work*|learn.train) echo ok;;\n"
        "learn.validate) echo '" +
            standing + "';; esac; done\n");
    std::filesystem::permissions(settings.peer, std::filesystem::perms::owner_all);
  }

  std::string run() {
    const Captured out(std::cout), err(std::cerr);
    learning().run(learning(), settings);
    return out.text.str();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(alone_it_tells_bits_per_byte_and_steps) {
  Bench bench;
  const std::string told = bench.run();
  const Json report = Json::parse(read_file(bench.settings.json), "the report");
  const Json::Array& rows = report.at("results").items();
  BOOST_REQUIRE(rows.size() == 6u);
  BOOST_TEST(rows.back().at("bpc").number() > 0);
  BOOST_TEST(rows.back().at("bpc").number() < 9);
  BOOST_TEST(rows.back().at("steps").integer() >= 1);
  BOOST_TEST(rows.back().at("peer_steps").integer() == 0);
  BOOST_TEST(told.find("mean of 1 seed: ours ") != std::string::npos, told);
  BOOST_TEST(told.find("bar") == std::string::npos, told);
}

BOOST_AUTO_TEST_CASE(the_bar_is_met_by_who_needs_no_more_bits) {
  for (const auto& [standing, verdict] : {std::pair{"0.5 7", "PyTorch 0.5000; bar: no worse, SHORT"},
                                          std::pair{"20 7", "PyTorch 20.0000; bar: no worse, met"}}) {
    Bench bench;
    bench.give_peer(standing);
    const std::string told = bench.run();
    BOOST_TEST(told.find(verdict) != std::string::npos, told);
    BOOST_TEST(told.find("(7 steps)") != std::string::npos, told);
    BOOST_TEST(read_file(bench.settings.svg).find("PyTorch, compiled") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_learned_is_refused) {
  Bench bench;
  bench.give_peer("soon");
  BOOST_TEST(error_of([&] { bench.run(); }) ==
             "bench: the peer answered 'soon'; bits per byte and the number of steps were expected");
  bench.settings.data = "";
  BOOST_TEST(error_of([&] { bench.run(); }) == "bench: there is no text to learn from. Give one: --data FILE");
  std::filesystem::create_directory(bench.folder / "several");
  for (const char* name : {"several/a", "several/b"}) write_file(bench.folder / name, read_file(bench.folder / "text"));
  bench.settings.data = bench.folder / "several";
  BOOST_TEST(error_of([&] { bench.run(); }) ==
             "bench: " + bench.settings.data + " has 2 documents; the peer reads one file. Join them");
}

BOOST_AUTO_TEST_SUITE_END()
