// A set of orderings is trained: with equal budgets, run by run as each would be alone, and to the same bits however
// often it is stopped.
#include "tasks/language/ordering_training.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "system/write_file.h"
#include "tasks/language/language_task.h"
#include "tasks/language/ordering_folder.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"
#include "tests/support/tiny_trainer.h"
#include "train/checkpoint_files.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(ordering_training_test)

namespace {

using Names = std::vector<std::string>;

// Two layers learn a text for six steps, with dropout: draws must come back after a stop.
struct Place {
  Folder folder;
  std::string text = folder / "a.txt", runs = folder / "runs";
  LmSettings settings = tiny_lm();
  OrderingSet set{.set = "sandwich:1,unbalanced:1", .baseline_seeds = 2};
  Names trained = {}, said = {};

  Place() {
    write_file(text, tiny_text());
    settings.data = text;
    settings.layers = 2, settings.steps = 6, settings.checkpoint_every = 3, settings.dropout = 0.1;
    settings.sample_bytes = 0;
  }
  OrderingOptions options(bool resume) {
    OrderingOptions o;
    o.run.run = runs, o.run.resume = resume, o.run.quiet = true;
    o.run.say = [this](const std::string& sentence) { said.push_back(sentence); };
    o.trained = [this](const OrderingRun& run, const RunResult&) { trained.push_back(run.folder()); };
    return o;
  }
  OrderingResults train(const OrderingOptions& o) {
    trained.clear(), said.clear();
    return train_orderings(set, settings, ByteData::open(text), o).results;
  }
  OrderingResults train(bool resume = false) { return train(options(resume)); }
  std::string refusal(bool resume) {
    return error_of([&] { train(resume); });
  }
  std::string checkpoint(const std::string& run, long step = 6) const {
    return read_file(CheckpointFiles(runs + "/" + run).path(step));
  }
};

const Names kAll = {"interleaved-seed-1", "interleaved-seed-2", "sandwich-1-seed-1", "unbalanced-1-seed-1"};

// What Ctrl-C says goes nowhere.
struct Silence {
  int before = ::dup(STDERR_FILENO), nowhere = ::open("/dev/null", O_WRONLY);
  Silence() { ::dup2(nowhere, STDERR_FILENO); }
  ~Silence() { ::dup2(before, STDERR_FILENO), ::close(before), ::close(nowhere); }
};

// Ctrl-C behind so many steps of all runs together.
OrderingResults stopped_after(Place& at, long steps, bool resume) {
  const Silence silence;
  OrderingOptions o = at.options(resume);
  o.run.metrics = [&steps](const Json& line) {
    if (line.find("bpc") && --steps == 0) ::raise(SIGINT);
  };
  return at.train(o);
}

bool has(const Names& sentences, const std::string& one) {
  return std::find(sentences.begin(), sentences.end(), one) != sentences.end();
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_run_is_an_ordinary_run_with_the_same_budget) {
  Place at;
  const OrderingResults results = at.train();
  BOOST_TEST(at.trained == kAll, boost::test_tools::per_element());
  BOOST_TEST(results.missing() == 0);
  for (const std::string& name : kAll) {
    const RunFolder run(at.runs + "/" + name);
    BOOST_TEST(run.config().at("steps").integer() == 6);
    BOOST_TEST(run.curve("step", "bpc").size() == 6u);
    BOOST_TEST(fs::exists(run.file("index.html")));
  }
  BOOST_TEST(RunFolder(at.runs + "/sandwich-1-seed-1").config().at("ordering").text() == "ssff");
  LmSettings alone = at.settings;
  alone.ordering = "sandwich:1";
  const ByteData data = ByteData::open(at.text);
  LanguageTask task(alone, data);
  train_run(task, {.run = at.folder / "alone", .quiet = true});
  BOOST_TEST((read_file(CheckpointFiles(at.folder / "alone").path(6)) == at.checkpoint("sandwich-1-seed-1")));
}

BOOST_AUTO_TEST_CASE(the_plan_is_told_before_it_starts) {
  Place at;
  at.set.set = "sandwich:1,ssff,sf";
  at.train();
  BOOST_TEST(has(at.said, "ssff has the letters of sandwich:1, ssff; they are trained once, as sandwich:1"));
  BOOST_TEST(has(at.said, "sf has 0.01 million parameters, the baseline 0.01: it shows more than what the order does"));
  BOOST_TEST(has(at.said, "4 runs of 6 steps each"));
  BOOST_TEST(has(at.said, "\nrun 3 of 4: sandwich:1, seed 1: ssff"));
}

// Before, between and in the middle of runs.
BOOST_AUTO_TEST_CASE(a_set_that_is_stopped_ends_as_one_that_was_not) {
  Place whole;
  const OrderingResults want = whole.train();
  for (const long steps : {1, 6, 8, 15}) {
    Place at;
    const OrderingResults stopped = stopped_after(at, steps, false);
    BOOST_TEST(stopped.missing() == 4 - steps / 6);
    BOOST_TEST(read_file(at.runs + "/index.html").find(" runs are still to be trained: ") != std::string::npos);
    const Names before = at.trained;
    stopped_after(at, 2, true);
    const OrderingResults results = at.train(true);
    BOOST_TEST(results.missing() == 0);
    for (long done = 0; done < steps / 6; done++) BOOST_TEST(!has(at.trained, before[size_t(done)]));
    for (const std::string& name : kAll) BOOST_TEST((at.checkpoint(name) == whole.checkpoint(name)), name);
    BOOST_TEST(results.mean == want.mean);
    BOOST_TEST(results.spread == want.spread);
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_before_the_first_step_of_a_run_is_kept_for_it) {
  Place whole, at;
  whole.train();
  OrderingOptions o = at.options(false);
  o.run.say = [](const std::string& sentence) {
    if (sentence.starts_with("\nrun 3 of 4")) ::raise(SIGINT);
  };
  {
    const Silence silence;
    BOOST_TEST(at.train(o).missing() == 2);
  }
  BOOST_TEST(at.trained.size() == 3u);
  BOOST_TEST(at.train(true).missing() == 0);
  for (const std::string& name : kAll) BOOST_TEST((at.checkpoint(name) == whole.checkpoint(name)), name);
}

BOOST_AUTO_TEST_CASE(what_is_finished_is_not_trained_again) {
  Place at;
  at.train();
  const auto before = fs::last_write_time(CheckpointFiles(at.runs + "/" + kAll[0]).path(6));
  BOOST_TEST(at.train(true).missing() == 0);
  BOOST_TEST(at.trained.empty());
  BOOST_TEST(has(at.said, "4 runs of 6 steps each, 4 finished already"));
  BOOST_TEST((fs::last_write_time(CheckpointFiles(at.runs + "/" + kAll[0]).path(6)) == before));
}

BOOST_AUTO_TEST_CASE(a_set_that_is_resumed_may_grow_and_shrink) {
  Place at;
  at.train();
  at.set.set = "sandwich:1,random:1";
  at.set.baseline_seeds = 3;
  const OrderingResults results = at.train(true);
  BOOST_TEST((at.trained == Names{"interleaved-seed-3", "random-1-seed-1"}));
  BOOST_TEST(results.rows.size() == 3u);  // unbalanced:1 is not asked for
  BOOST_TEST(OrderingFolder(at.runs).saved()->set.set == "sandwich:1,random:1");
  BOOST_TEST(OrderingFolder(at.runs).saved()->settings.steps == 6);
}

BOOST_AUTO_TEST_CASE(a_folder_in_use_is_not_overwritten) {
  Place at;
  stopped_after(at, 7, false);
  const std::string before = read_file(at.runs + "/orderings.json");
  BOOST_TEST(at.refusal(false) ==
             "orderings: " + at.runs +
                 " holds a set of orderings already, with 2 of these 4 runs; go on with resume, or "
                 "choose another folder with run");
  fs::remove(at.runs + "/orderings.json");
  BOOST_TEST(at.refusal(false).starts_with("orderings: " + at.runs + " holds a set of orderings already, with 2 of"));
  BOOST_TEST(at.train(true).missing() == 0);  // its runs say what they are
  BOOST_TEST(read_file(at.runs + "/orderings.json") == before);
  at.runs += "/sandwich-1-seed-1";
  BOOST_TEST(at.refusal(true) == "orderings: " + at.runs +
                                     " is the folder of a single run; a set of runs needs one for "
                                     "itself. Choose another with run");
}

BOOST_AUTO_TEST_CASE(other_settings_and_other_data_are_refused) {
  Place at;
  stopped_after(at, 7, false);
  const std::string end =
      ". Only equal runs can be compared: leave these options away, or choose another folder with run";
  at.settings.steps = 9, at.settings.width = 32;
  BOOST_TEST(at.refusal(true) ==
             "orderings: " + at.runs + " began with other settings: width 16 -> 32, steps 6 -> 9" + end);
  at.settings.steps = 6, at.settings.width = 16;
  at.settings.keep = 1, at.settings.sample_bytes = 5;  // these decide nothing
  BOOST_TEST(at.train(true).missing() == 0);
  const RunFolder longer(at.runs + "/sandwich-1-seed-1");
  Json config = longer.config();
  config["steps"] = 60;
  longer.write_config(config);
  BOOST_TEST(at.refusal(true) == "orderings: " + longer.path() + " began with other settings: steps 60 -> 6" + end);
  write_file(at.text, tiny_text() + "more");
  BOOST_TEST(at.refusal(true).starts_with("orderings: " + at.runs + " has learned other data ("));
  BOOST_TEST(at.refusal(true).ends_with("): its runs could not be compared. Choose another folder with run"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_before_anything_is_written) {
  Place at;
  at.set.set = "sandwich:3";
  BOOST_TEST(at.refusal(false).starts_with("ordering: 'sandwich:3' is not sandwich:k"));
  at.set.set = "ssff,ff";
  BOOST_TEST(at.refusal(true).starts_with("settings: the ordering 'ff' has nothing that mixes tokens"));
  write_file(at.text, "short");
  at.set.set = "ssff";
  BOOST_TEST(at.refusal(false).find("a context of 16 needs") != std::string::npos);
  BOOST_TEST(!fs::exists(at.runs));
  write_file(at.text, tiny_text());
  write_file(at.runs, "a file");
  BOOST_TEST(at.refusal(false) == "write_file: cannot write " + at.runs +
                                      "/orderings.json: Not a directory; a part of its path is a file, not a folder");
}

BOOST_AUTO_TEST_CASE(minutes_become_the_same_steps_for_all_and_are_remembered) {
  Place at;
  OrderingOptions o = at.options(false);
  o.minutes = 1e-9;
  BOOST_TEST(at.train(o).missing() == 0);
  for (const std::string& name : kAll) BOOST_TEST(RunFolder(at.runs + "/" + name).config().at("steps").integer() == 1);
  BOOST_TEST(OrderingFolder(at.runs).saved()->settings.steps == 1);
  o.run.resume = true;
  at.settings.steps = 1;  // as the folder says
  BOOST_TEST(at.train(o).missing() == 0);
  BOOST_TEST(has(at.said, "the set keeps the steps that it began with; the minutes are for a new one"));
  BOOST_TEST(at.trained.empty());
}

BOOST_AUTO_TEST_CASE(a_run_whose_numbers_are_not_finite_is_left_out_and_the_others_go_on) {
  Place at;
  at.settings.optimiser = "sgd", at.settings.clip = 0, at.settings.steps = 60;
  at.settings.schedule = "constant:rate=1000,warmup=0";
  const TrainedOrderings trained = train_orderings(at.set, at.settings, ByteData::open(at.text), at.options(false));
  BOOST_TEST(!trained.stopped);
  BOOST_TEST_REQUIRE(trained.failed.size() == 4u);
  BOOST_TEST(trained.failed[2].starts_with("sandwich-1-seed-1 is left out: train: "), trained.failed[2]);
  BOOST_TEST(trained.results.missing() == 4);
}

BOOST_AUTO_TEST_CASE(a_sandwich_of_nothing_learns_as_the_usual_transformer_to_the_bit) {
  LmSettings usual = tiny_lm(), sandwich = tiny_lm();
  usual.layers = sandwich.layers = 3;
  usual.dropout = sandwich.dropout = 0.1;
  sandwich.ordering = "sandwich:0";
  const std::vector<std::string> texts = {tiny_text()};
  LmTrainer a(usual, split_of(texts)), b(sandwich, split_of(texts));
  for (int i = 0; i < 5; i++) BOOST_TEST(a.advance().loss == b.advance().loss);
  const TrainingState one = a.state(), two = b.state();
  for (const auto part : {&TrainingState::weights, &TrainingState::optimiser}) {
    BOOST_TEST_REQUIRE((one.*part).size() == (two.*part).size());
    for (size_t i = 0; i < (one.*part).size(); i++) {
      BOOST_TEST((one.*part)[i].name == (two.*part)[i].name);
      BOOST_TEST(same_bits((one.*part)[i].value, (two.*part)[i].value));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
