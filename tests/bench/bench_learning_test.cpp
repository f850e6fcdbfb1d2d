// `bench learning` and `bench learning-pictures`: a text of some kilobytes or a few pictures, a moment of training, and
// a peer that is a shell script.
#include <cmath>
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
  BOOST_TEST(rows.back().at("score").number() > 0);
  BOOST_TEST(rows.back().at("score").number() < 9);
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

// A peer that answers with how many bytes it finds in the file for it.
BOOST_AUTO_TEST_CASE(pictures_are_learned_from_the_tokens_that_the_peer_gets) {
  const Folder folder;
  Settings settings{.benchmark = "learning-pictures", .seconds = 0.01, .threads = 1, .only = "seed 1"};
  settings.data = "shapes:pictures=200", settings.json = folder / "out.json", settings.peer = folder / "peer";
  write_file(settings.peer,
             "#!/bin/sh\n"
             "while read verb what rest; do case $verb.$what in probe*) echo 'Shell 1.0';; learn.train) echo ok;;\n"
             "work*) echo ok; echo $what $rest > " +
                 (folder / "request") +
                 ";;\n"
                 "learn.validate) echo $(wc -c < \"$HEED_BENCH_DATA\") 7; echo \"$HEED_BENCH_DATA\" > " +
                 (folder / "name") + ";; esac; done\n");
  std::filesystem::permissions(settings.peer, std::filesystem::perms::owner_all);
  const Benchmark& benchmark = all_benchmarks.find("learning-pictures");
  {
    const Captured out(std::cout), err(std::cerr);
    benchmark.run(benchmark, settings);
    BOOST_TEST(out.text.str().find("nats per pixel, PyTorch ") != std::string::npos, out.text.str());
  }
  const Json report = Json::parse(read_file(settings.json), "the report");
  const Json& last = report.at("results").items().back();
  BOOST_TEST(std::abs(last.at("score").number() - std::log(16.0)) < 0.1);  // it has learned for a moment only
  long layers, width, heads, pixels, colours, batch, seed, train, valid;
  const std::string request = read_file(folder / "request");
  BOOST_REQUIRE(std::sscanf(request.c_str(), "learning_pictures %ld %ld %ld %ld %ld %ld %ld %ld %ld", &layers, &width,
                            &heads, &pixels, &colours, &batch, &seed, &train, &valid) == 9);
  BOOST_TEST(pixels == 196);
  BOOST_TEST(train > 100);
  BOOST_TEST(last.at("peer_score").number() == double((train + valid) * pixels));
  const std::string name = read_file(folder / "name");
  BOOST_TEST(!std::filesystem::exists(name.substr(0, name.find('\n'))));  // it is gone with the benchmark
}

BOOST_AUTO_TEST_SUITE_END()
