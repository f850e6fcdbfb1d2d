// build/classify as a user calls it: trains, goes on to the same bits, evaluates, and says what is wrong.
#include <filesystem>

#include "system/json.h"
#include "system/write_file.h"
#include "tests/demos/charlm.h"
#include "tests/tasks/classify/tiny_classify.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(classify_test)

namespace {

struct Place {
  Folder folder;
  std::string data = folder / "a.tsv", run = folder / "run";
  Place() {
    std::string table = "label\ttext\n";
    for (const LabelledRow& row : tiny_rows()) table += row.label + "\t" + row.text + "\n";
    write_file(data, table);
  }
  Ran operator()(const Words& words) const { return Charlm(folder.path.string(), words, "", "classify").wait(); }
  Ran train(const Words& more = {}) const {
    Words words = {"train",
                   "--data",
                   data,
                   "--run",
                   run,
                   "--layers",
                   "1",
                   "--width",
                   "16",
                   "--context",
                   "40",
                   "--batch",
                   "4",
                   "--steps",
                   "40",
                   "--lr",
                   "0.01",
                   "--threads",
                   "1",
                   "--checkpoint-every",
                   "20",
                   "--schedule",
                   "constant:warmup=3"};
    words.insert(words.end(), more.begin(), more.end());
    return (*this)(words);
  }
};

void check_fails(const Ran& ran, const std::string& text) {
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, text), "'" << ran.err << "' does not have '" << text << "'");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_trains_and_evaluates_and_tells_what_it_is) {
  const Place at;
  const Ran ran = at.train();
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, at.data + ": 100 texts of 2 labels: train 90, valid 5, test 5\n"));
  BOOST_TEST(contains(ran.out, ", the most frequent label: accuracy 0."));
  BOOST_TEST(last_line(ran.out).starts_with("final step=40 train_accuracy="), ran.out);
  BOOST_TEST(contains(last_line(ran.out), " valid_accuracy=1.0000 tokens_per_s="), ran.out);
  BOOST_TEST(contains(read_file(at.run + "/index.html"), "What is taken for what"));
  const Ran eval = at({"eval", "--run", at.run, "--split", "test"});
  BOOST_TEST(last_line(eval.out) == "accuracy=1.0000", eval.out);
  BOOST_TEST(contains(eval.out, "label  cat  dog   right\n"), eval.out);
  const Json json = Json::parse(at({"eval", "--run", at.run, "--json"}).out, "eval");
  BOOST_TEST(json.at("accuracy").number() == 1);
  BOOST_TEST(json.at("texts").integer() == 5);
  const Ran info = at({"info", "--run", at.run});
  BOOST_TEST(contains(info.out, "labels: cat, dog\n"), info.err);
  BOOST_TEST(contains(info.out, "step 40 of 40, validation 1.0000 accuracy, "), info.out);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_ends_as_one_that_was_not_stopped) {
  const Place whole, parts;
  BOOST_TEST(whole.train({"--dropout", "0.1"}).code == 0);
  BOOST_TEST(parts.train({"--dropout", "0.1", "--steps", "20"}).code == 0);
  const Ran ran = parts({"train", "--run", parts.run, "--resume", "--steps", "40", "--threads", "2"});
  BOOST_TEST(contains(ran.out, "  changed: steps 20 -> 40\n"), ran.err);
  BOOST_TEST(same_training(newest_checkpoint(whole.run), newest_checkpoint(parts.run)));
  BOOST_TEST(read_file(whole.run + "/confusion.json") == read_file(parts.run + "/confusion.json"));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_alone_names_its_labels_and_judges_other_texts) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  const std::string away = at.folder / "away.safetensors", other = at.folder / "b.csv";
  fs::copy_file(newest_checkpoint(at.run), away);
  check_fails(at({"eval", "--run", away}), "away.safetensors is not in the folder of its run, whose config.json says");
  write_file(other, "dog,woof\ndog,woof ...\ndog,\"woof ..\"\n");
  const Ran eval = at({"eval", "--run", away, "--data", other});
  BOOST_TEST(contains(eval.out, "step 40 on 3 texts of all; "), eval.err);
  BOOST_TEST(last_line(eval.out) == "accuracy=1.0000", eval.out);
  write_file(other, "dog,woof\ncow,moo\ndog,woof\n");
  check_fails(at({"eval", "--run", away, "--data", other}),
              "b.csv:2: the label 'cow' is none of those that were learned: cat, dog");
}

BOOST_AUTO_TEST_CASE(listops_is_learned_without_any_file) {
  const Place at;
  const Ran ran = at.train({"--data", "listops:examples=200", "--steps", "4", "--json"});
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.err, "listops:examples=200: 200 texts of 10 labels: train 180, valid 10, test 10\n"));
  BOOST_TEST(Json::parse(last_line(ran.out), "final").at("event").text() == "final");
  BOOST_TEST(contains(read_file(at.run + "/config.json"), "\"pool\": \"cls\""));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_before_anything_is_written) {
  const Place at;
  check_fails(at.train({"--data", at.folder / "missing.csv"}), "labelled_text: cannot read " + (at.folder / "missing"));
  check_fails(at.train({"--attention", "nothing"}), "nothing");
  check_fails(at.train({"--minutes", "1"}), "both --steps and --minutes were given; give one of them");
  check_fails(at({"eval", "--run", at.run}), "there is no run " + at.run + "; `build/classify train --run " + at.run);
  check_fails(at({"info", "--run", at.run}), "is not a run folder");
  BOOST_TEST(!fs::exists(at.run));
  write_file(at.run + "/config.json", "{\"mine\": 1}\n");
  check_fails(at.train(), "does not say 'preset' and 'pool'; it is not of a classifier of this version");
}

BOOST_AUTO_TEST_SUITE_END()
