// charlm orderings as a user calls it: a set of runs with a table, a chart and a page; stopped, resumed, and what it
// refuses.
#include <csignal>
#include <filesystem>
#include <regex>

#include "system/write_file.h"
#include "tests/demos/charlm.h"
#include "tests/support/tiny_lm.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(charlm_orderings_test)

namespace {

struct Orderings : Place {
  Words words(const Words& more) const {
    Words all = tiny_train(data, run, {"--layers", "2", "--steps", "4", "--checkpoint-every", "2", "--quiet"});
    all[0] = "orderings";
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Ran orderings(const Words& more) const { return (*this)(words(more)); }
};

const Words kSmall = {"--set", "sandwich:1,unbalanced:1", "--baseline-seeds", "2"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_fails(const Ran& ran, const std::string& text, int code = 1) {
  BOOST_TEST(ran.code == code);
  BOOST_TEST(contains(ran.err, text), "'" << ran.err << "' does not have '" << text << "'");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_set_ends_with_a_table_a_chart_and_a_page) {
  const Orderings at;
  const Ran ran = at.orderings(kSmall);
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(ran.err == "");  // --quiet: no line of progress
  BOOST_TEST(contains(ran.out, "4 runs of 4 steps each\nabout "), ran.out);
  BOOST_TEST(contains(ran.out, "\nrun 3 of 4: sandwich:1, seed 1: ssff\n"), ran.out);
  BOOST_TEST(std::regex_search(ran.out, std::regex(R"(\nsandwich:1 +ssff +\d+ +\d\.\d{4} +[+-]\d\.\d{4} +[+-]\d)")));
  BOOST_TEST(std::regex_search(ran.out, std::regex(R"(\ninterleaved \(2 seeds\) +sfsf +\d+ +\d\.\d{4}\n)")));
  BOOST_TEST(last_line(ran.out) == "the page is " + at.run + "/index.html, the chart " + at.run + "/orderings.png");
  for (const char* file : {"index.html", "orderings.svg", "orderings.png", "orderings.json"})
    BOOST_TEST(fs::exists(fs::path(at.run) / file), file);
  BOOST_TEST(contains(read_file(at.run + "/index.html"), "build/charlm orderings --run " + at.run + " --resume"));
}

BOOST_AUTO_TEST_CASE(its_runs_are_those_of_other_commands) {
  const Orderings at;
  BOOST_REQUIRE(at.orderings(kSmall).code == 0);
  const std::string sandwich = at.run + "/sandwich-1-seed-1", usual = at.run + "/interleaved-seed-1";
  BOOST_TEST(at({"sample", "--run", sandwich, "--length", "5"}).code == 0);
  BOOST_TEST(contains(at({"eval", "--run", sandwich}).out, "bpc="));
  BOOST_TEST(at({"compare", sandwich, usual, "--out", at.folder / "both"}).code == 0);
  const std::string alone = at.folder / "alone";
  BOOST_TEST(at(tiny_train(at.data, alone,
                           {"--layers", "2", "--ordering", "sandwich:1", "--steps", "4", "--keep", "1",
                            "--checkpoint-every", "2", "--preset", "tiny", "--lr", "4e-3"}))
                 .code == 0);
  BOOST_TEST(same_training(newest_checkpoint(alone), newest_checkpoint(sandwich)));
}

BOOST_AUTO_TEST_CASE(with_json_stdout_has_a_line_for_each_run_and_a_summary) {
  const Orderings at;
  const Ran ran = at.orderings(with(kSmall, {"--json"}));
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  std::vector<Json> lines;
  for (size_t begin = 0, end; (end = ran.out.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(Json::parse(ran.out.substr(begin, end - begin), "a line of stdout"));
  BOOST_TEST_REQUIRE(lines.size() == 5u);
  for (size_t i = 0; i < 4; i++) BOOST_TEST(lines[i].at("event").text() == "final");
  BOOST_TEST(lines[2].at("run").text() == "sandwich-1-seed-1");
  BOOST_TEST(lines[2].at("letters").text() == "ssff");
  BOOST_TEST(lines[2].at("step").integer() == 4);
  BOOST_TEST(lines[4].at("event").text() == "orderings");
  BOOST_TEST(lines[4].at("missing").integer() == 0);
  for (const Json& row : lines[4].at("orderings").items())
    if (row.at("name").text() == "sandwich:1")
      BOOST_TEST(row.at("valid_bpc").number() == lines[2].at("valid_bpc").number());
  BOOST_TEST(contains(ran.err, "4 runs of 4 steps each\n"));
}

BOOST_AUTO_TEST_CASE(ctrl_c_saves_and_the_same_command_goes_on) {
  const Orderings at;
  const Words more = with(kSmall, {"--steps", "3000", "--checkpoint-every", "1000", "--valid-bytes", "64"});
  Charlm child(at.folder.path.string(), at.words(more));
  const RunFolder second(at.run + "/interleaved-seed-2");
  child.wait_until([&] { return !second.metrics().empty(); });
  child.signal(SIGINT);
  const Ran stopped = child.wait();
  BOOST_TEST(stopped.code == 130);
  BOOST_TEST(contains(stopped.err, "stopping when this step is done and saved"));
  BOOST_TEST(contains(stopped.out, "; saved " + second.path() + "/checkpoints/"), stopped.out);
  BOOST_TEST(last_line(stopped.out) == "go on with: build/charlm orderings --resume --run " + at.run);
  BOOST_TEST(contains(read_file(at.run + "/index.html"), "3 of 4 runs are still to be trained: interleaved-seed-2, "));
  const long step = read_checkpoint_summary(newest_checkpoint(second.path())).step;
  BOOST_TEST(step < 3000);
  const Ran again = at.orderings(with(more, {"--resume"}));
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(contains(again.out, "4 runs of 3000 steps each, 1 finished already\n"), again.out);
  BOOST_TEST(!contains(again.out, "run 1 of 4"));
  BOOST_TEST(contains(again.out, "going on from " + second.path()));
  BOOST_TEST(long(second.curve("step", "bpc").size()) == 3000);
}

BOOST_AUTO_TEST_CASE(a_set_that_is_resumed_remembers_what_it_is) {
  const Orderings at;
  const Words timed = {"orderings", "--data",       at.data,   "--run",    at.run,      "--layers", "2",
                       "--width",   "16",           "--heads", "2",        "--context", "16",       "--batch",
                       "2",         "--minutes",    "1e-9",    "--random", "1",         "--quiet",  "--baseline-seeds",
                       "1",         "--unbalanced", "0"};
  BOOST_REQUIRE(at(timed).code == 0);  // one step each
  const Ran same = at(with(timed, {"--resume"}));
  BOOST_TEST(same.code == 0, same.err);
  BOOST_TEST(contains(same.out, "3 runs of 1 steps each, 3 finished already\n"), same.out);
  const Ran more = at({"orderings", "--run", at.run, "--resume", "--random", "3", "--quiet"});
  BOOST_TEST(more.code == 0, more.err);
  BOOST_TEST(contains(more.out, "random:3"), more.out);
  BOOST_TEST(fs::exists(at.run + "/random-1-seed-1"));
  BOOST_TEST(RunFolder(at.run + "/random-2-seed-1").config().at("width").integer() == 16);
}

BOOST_AUTO_TEST_CASE(what_it_cannot_do_is_a_sentence) {
  const Orderings at;
  const auto refuses = [&](const Words& more, const std::string& text) { check_fails(at.orderings(more), text); };
  refuses({"--set", "sandwich:3"},
          "charlm: ordering: 'sandwich:3' is not sandwich:k with a whole number from 0 to 2, the");
  refuses({"--set", "sandwhich:1"}, "there is no ordering 'sandwhich'; there are interleaved, sandwich, random, ");
  refuses({"--set", "ssff,fff"},
          "the ordering 'fff' has nothing that mixes tokens; a language model needs at least one s");
  refuses({"--set", ""}, "ordering: the list '' has a place with nothing in it; it is such as sandwich:1..3,random:1,");
  refuses({"--layers", "1", "--random", "0", "--unbalanced", "0"},
          "orderings: the set is empty: there is nothing to compare with the baseline. Name orderings, such as");
  refuses({"--set", "ssff", "--random", "3"},
          "the set 'ssff' names its orderings by itself; leave --random away, or write random:1..N into --set\n");
  refuses({"--minutes", "1"}, "both --steps and --minutes were given; give one of them\n");
  refuses({"--heads", "3"}, "width is 16 and heads 3; the heads must divide the width");
  refuses({"--run", at.data},
          "cannot write " + at.data + "/orderings.json: Not a directory; a part of its path is a file");
  check_fails(at.orderings({"--ordering", "ssff"}), "charlm orderings: unknown option --ordering", 2);
  check_fails(at.orderings({"--seeds", "0"}), "--seeds is \"0\"; it must be a whole number from 1 to 500", 2);
  BOOST_TEST(!fs::exists(at.run));
}

BOOST_AUTO_TEST_CASE(a_used_folder_and_changed_settings_are_refused) {
  const Orderings at;
  BOOST_REQUIRE(at.orderings(kSmall).code == 0);
  check_fails(at.orderings(kSmall), "charlm: orderings: " + at.run +
                                        " holds a set of orderings already, with 4 of these 4 "
                                        "runs; go on with --resume, or choose another folder with --run\n");
  check_fails(at.orderings(with(kSmall, {"--resume", "--lr", "0.1", "--steps", "8"})),
              at.run +
                  " began with other settings: steps 4 -> 8, rate 0.004 -> 0.1. Only equal runs can be compared: "
                  "leave these options away, or choose another folder with --run\n");
  check_fails(at({"train", "--run", at.run + "/sandwich-1-seed-1", "--resume", "--steps", "3"}),
              "is at step 4 already");
  write_file(at.data, tiny_text() + "more");
  check_fails(at.orderings(with(kSmall, {"--resume"})), at.run + " has learned other data (");
}

BOOST_AUTO_TEST_SUITE_END()
