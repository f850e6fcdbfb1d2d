// charlm that goes on: to the same bits, with what the run began with, also from older checkpoints.
#include <filesystem>

#include "system/write_file.h"
#include "tasks/language/lm_run_load.h"
#include "tests/demos/charlm.h"
#include "tests/support/compare.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"
#include "train/model_tensors.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(charlm_resume_test)

namespace {

// The metrics without what depends on time.
std::string metrics_of(const std::string& run) {
  std::string text;
  for (const Json& line : RunFolder(run).metrics()) {
    for (const auto& [name, value] : line.members())
      if (name != "seconds" && name != "tokens_per_s" && name != "peak_bytes") text += name + "=" + value.dump() + " ";
    text += "\n";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_resumed_run_ends_as_one_that_was_not_stopped) {
  const Trained whole({"--schedule", "constant:warmup=3", "--dropout", "0.1", "--micro-batch", "1"});
  const Trained parts({"--schedule", "constant:warmup=3", "--dropout", "0.1", "--micro-batch", "1", "--steps", "6"});
  const Ran ran = parts({"train", "--run", parts.run, "--resume", "--steps", "12", "--threads", "2",
                         "--checkpoint-every", "6", "--sample-bytes", "20"});
  BOOST_TEST(ran.code == 0);
  BOOST_TEST(contains(ran.out, "going on from " + parts.run + "/checkpoints/step-000006.safetensors\n"));
  BOOST_TEST(contains(ran.out, "  changed: steps 6 -> 12\n"));
  BOOST_TEST(same_training(newest_checkpoint(whole.run), newest_checkpoint(parts.run)));
  BOOST_TEST(metrics_of(whole.run) == metrics_of(parts.run));
  BOOST_TEST(read_file(whole.run + "/samples/step-000012.txt") == read_file(parts.run + "/samples/step-000012.txt"));
}

BOOST_AUTO_TEST_CASE(resuming_a_run_that_is_not_there_is_an_error) {
  const Place at;
  const auto refused = [&](const std::string& program, const Words& words) {
    const Ran ran = Charlm(at.folder.path.string(), words, "", program).wait();
    BOOST_TEST(ran.code == 1);
    BOOST_TEST(ran.err == program + ": train: there is no run " + at.run + "; `build/" + program + " train --run " +
                              at.run + "` makes one\n");
    BOOST_TEST((!fs::exists(at.run) || fs::is_empty(at.run)));
  };
  refused("charlm", tiny_train(at.data, at.run, {"--resume"}));
  for (const char* program : {"classify", "igpt"}) refused(program, {"train", "--run", at.run, "--resume"});
  fs::create_directory(at.run);  // nor is an empty folder
  refused("charlm", {"train", "--run", at.run, "--resume"});
  const Ran set = at({"orderings", "--run", at.folder / "set", "--resume"});
  BOOST_TEST(set.code == 1);
  BOOST_TEST(contains(set.err, "there is no set " + (at.folder / "set") + "; without --resume it is begun\n"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_checkpoint_starts_again_and_what_is_done_ends) {
  const Trained t;
  fs::remove_all(t.run + "/checkpoints");
  const Ran first = t.train({"--resume"});
  BOOST_TEST(contains(first.out, "there is no checkpoint in " + t.run + "/checkpoints: starting from step 0\n"));
  const Ran again = t({"train", "--run", t.run, "--resume"});
  BOOST_TEST(again.code == 0);
  BOOST_TEST(contains(again.out, "all 12 steps are done already; --steps N goes on to more\n"));
  BOOST_TEST(last_line(again.out).starts_with("final step=12 train_bpc="));
  const Ran fewer = t({"train", "--run", t.run, "--resume", "--steps", "4"});
  BOOST_TEST(fewer.code == 1);
  BOOST_TEST(contains(fewer.err, t.run + " is at step 12 already, and 4 were asked for; give --steps 12 or more"));
}

BOOST_AUTO_TEST_CASE(what_a_run_began_with_is_remembered) {
  const Trained t({"--keep", "9", "--checkpoint-every", "2"});
  BOOST_TEST(CheckpointFiles(t.run).list().size() == 6u);
  BOOST_TEST(t({"train", "--run", t.run, "--resume", "--steps", "16"}).code == 0);
  BOOST_TEST(CheckpointFiles(t.run).list().size() == 8u);
  fs::remove(t.run + "/config.json");  // then the checkpoint knows, but for where the text lies
  const Ran lost = t({"train", "--run", t.run, "--resume", "--steps", "18"});
  BOOST_TEST(lost.code == 1);
  BOOST_TEST(contains(
      lost.err, t.run + " has no config.json that can be read, which says what it learns; give the same text with"));
  const Ran without = t({"train", "--run", t.run, "--resume", "--steps", "18", "--data", t.data});
  BOOST_TEST(without.code == 0, without.err);
  BOOST_TEST(CheckpointFiles(t.run).list().size() == 9u);
}

BOOST_AUTO_TEST_CASE(data_that_has_changed_is_noticed) {
  const Trained t;
  const Ran same = t({"train", "--run", t.run, "--resume", "--steps", "13"});
  BOOST_TEST(!contains(same.out, "other bytes"));
  write_file(t.data, tiny_text() + "more");
  const Ran other = t({"train", "--run", t.run, "--resume", "--steps", "14"});
  BOOST_TEST(other.code == 0);
  BOOST_TEST(contains(other.out, "the data has other bytes than before: the run goes on, but not to the same bits"));
}

BOOST_AUTO_TEST_CASE(a_run_finds_its_text_from_another_folder) {
  const Place at;
  const std::string here = at.folder.path.string(), away = at.folder / "away";
  fs::create_directory(away);
  const auto from = [&](const std::string& folder, const Words& words) {
    return Charlm(here, words, "", "charlm", folder).wait();
  };
  BOOST_TEST(from(here, tiny_train("a.txt", "run")).code == 0);
  const Ran eval = from(here, {"eval", "--run", "run"});
  BOOST_TEST(from(away, {"eval", "--run", "../run"}).out == eval.out);
  write_file(away + "/a.txt", "another text of this name");  // is not the run's
  BOOST_TEST(from(away, {"eval", "--run", "../run"}).out == eval.out);
  fs::remove(away + "/a.txt");
  const Ran on = from(away, {"train", "--run", "../run", "--resume", "--steps", "13"});
  BOOST_TEST(on.code == 0, on.err);
  BOOST_TEST(!contains(on.out, "changed: data"));
  fs::rename(at.data, away + "/b.txt");
  const std::string gone =
      "what run has learned was " + at.data + ", and is not there any more; say where it is now with --data\n";
  for (const Words& words : {Words{"eval", "--run", "run"}, Words{"train", "--run", "run", "--resume"}}) {
    const Ran lost = from(here, words);
    BOOST_TEST(lost.code == 1);
    BOOST_TEST(contains(lost.err, gone), lost.err);
  }
  const Ran given = from(here, {"train", "--run", "run", "--resume", "--steps", "14", "--data", "away/b.txt"});
  BOOST_TEST(given.code == 0, given.err);
  BOOST_TEST(!contains(given.out, "other bytes"));
  BOOST_TEST(from(away, {"eval", "--run", "../run", "--json"}).code == 0);
}

BOOST_AUTO_TEST_CASE(equal_runs_write_equal_checkpoints_wherever_they_are) {
  const Trained a, b({"--threads", "2"});
  BOOST_REQUIRE(a.data != b.data);
  for (const long step : {6, 12}) BOOST_TEST((read_file(a.checkpoint(step)) == read_file(b.checkpoint(step))));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_knows_how_long_it_was_trained) {
  const Trained t({"--steps", "6"});
  const double before = RunFolder(t.run).last("seconds").value();
  BOOST_TEST(t({"train", "--run", t.run, "--resume", "--steps", "12"}).code == 0);
  const auto curve = RunFolder(t.run).curve("step", "seconds");
  for (size_t i = 1; i < curve.size(); i++) BOOST_TEST(curve[i].y >= curve[i - 1].y);
  BOOST_TEST(RunFolder(t.run).last("seconds").value() > before);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_alone_writes_but_does_not_know_its_text) {
  const Trained t;
  const std::string away = t.folder / "away.safetensors";
  fs::copy_file(t.checkpoint(12), away);
  BOOST_TEST(t({"sample", "--run", away, "--length", "5"}).out == t({"sample", "--run", t.run, "--length", "5"}).out);
  const Ran eval = t({"eval", "--run", away});
  BOOST_TEST(eval.code == 1);
  BOOST_TEST(
      contains(eval.err, "away.safetensors is not in the folder of its run, whose config.json says what it has"));
  BOOST_TEST(t({"eval", "--run", away, "--data", t.data}).code == 0);
}

BOOST_AUTO_TEST_CASE(a_model_is_loaded_by_the_name_of_a_file) {
  const Trained t;
  const LoadedModel loaded = load_run(t.run);
  Gpt model(model_options(loaded.settings)), other(model_options(loaded.settings));
  load_model(model, t.checkpoint(12));  // a checkpoint, with its optimiser
  write_safetensors(t.folder / "weights.safetensors", {.tensors = model_tensors(model)});
  load_model(other, t.folder / "weights.safetensors");  // weights alone
  for (size_t i = 0; i < model.parameters().size(); i++)
    for (Gpt* each : {&model, &other})
      BOOST_TEST(same_bits(each->parameters()[i]->value.value(), loaded.model->parameters()[i]->value.value()));
}

// Checkpoints of heed before this had times, paths and other names in them.
BOOST_AUTO_TEST_CASE(an_older_checkpoint_goes_on) {
  const Trained t;
  Safetensors file = read_safetensors(t.checkpoint(12));
  file.metadata["number.validation_bpc"] = file.metadata.at("number.valid_bpc");
  file.metadata["number.last_validation_bpc"] = file.metadata.at("number.valid_bpc");
  file.metadata["number.train_seconds"] = "3.25";
  for (const char* name : {"number.valid_bpc", "data", "crc32"}) file.metadata.erase(name);
  Json settings = RunFolder(t.run).config(), older = Json::object();
  for (const auto& [name, value] : settings.members())
    if (name != "version" && name != "beta2" && name != "floor") older[name] = value;
  file.metadata["settings"] = older.dump();
  write_safetensors(t.checkpoint(12), file);
  RunFolder(t.run).write_config(older);
  const Ran info = t({"info", "--run", t.run});
  BOOST_TEST(contains(info.out, "step-000012.safetensors   valid "), info.err);
  const Ran ran = t({"train", "--run", t.run, "--resume", "--steps", "13"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, "  changed: steps 12 -> 13\n"));
  BOOST_TEST(!contains(ran.out, "other bytes"));
}

BOOST_AUTO_TEST_CASE(a_damaged_config_does_not_stop_a_run_whose_checkpoint_has_the_settings) {
  const Trained t({"--keep", "9"});
  const std::string config = t.run + "/config.json", whole = read_file(config);
  write_file(config, whole.substr(0, whole.size() / 2));
  const Ran lost = t({"train", "--run", t.run, "--resume", "--steps", "14"});
  BOOST_TEST(lost.code == 1);
  BOOST_TEST(contains(lost.err, t.run + " has no config.json that can be read, which says what it learns; give the"));
  const Ran ran = t({"train", "--run", t.run, "--resume", "--steps", "14", "--data", t.data});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, config + " is damaged and left out: the settings are those of " + t.checkpoint(12)));
  BOOST_TEST(RunFolder(t.run).config().at("keep").integer() == 9);  // it is written anew
}

// The first phase has 8 steps, the others one each.
BOOST_AUTO_TEST_CASE(a_run_of_phases_goes_on_inside_any_of_them_to_the_same_bits) {
  const Words phases = {"--schedule", "longformer", "--attention",        "longformer:window=2/8",
                        "--layers",   "2",          "--checkpoint-every", "1",
                        "--keep",     "20",         "--dropout",          "0.1"};
  const Trained whole(phases);
  BOOST_TEST(contains(whole.ran.out, "8 steps of 4 x 1 bytes with 0.0625 of every window, then 1 steps of 4 x 2 bytes"),
             whole.ran.out);
  BOOST_TEST(contains(whole.ran.out, "then 1 steps of 2 x 16 bytes\n"), whole.ran.out);
  for (long step : {4, 8, 9, 10, 11}) BOOST_TEST_CONTEXT("step " << step) {
      const std::string run = whole.folder / ("stopped-" + std::to_string(step));
      fs::copy(whole.run, run, fs::copy_options::recursive);
      for (const CheckpointFile& file : CheckpointFiles(run).list())
        if (file.step > step) fs::remove(file.path);
      const Ran ran = whole({"train", "--run", run, "--resume", "--sample-bytes", "20"});
      BOOST_TEST(contains(ran.out, "going on from " + CheckpointFiles(run).path(step)), ran.out + ran.err);
      BOOST_TEST(same_training(newest_checkpoint(whole.run), newest_checkpoint(run)));
      BOOST_TEST(metrics_of(whole.run) == metrics_of(run));
    }
}

BOOST_AUTO_TEST_SUITE_END()
