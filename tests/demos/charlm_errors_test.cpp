// charlm and everything that can be wrong with what it is given: a sentence, an exit code, and no harm done.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "system/shell_quoted.h"
#include "system/write_file.h"
#include "tasks/language/lm_settings.h"
#include "tensor/backend_library.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/demos/charlm.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(charlm_errors_test)

namespace {

// With this exit code, and this on stderr.
void check_fails(const Ran& ran, int code, const std::string& text) {
  BOOST_TEST(ran.code == code);
  BOOST_TEST(contains(ran.err, text), "'" << ran.err << "' does not have '" << text << "'");
  BOOST_TEST(!contains(ran.out, "final "));
}

// In the elements of a tensor of the model; what only reads weights does not look at the optimiser's.
void damage_weights(const std::string& path) {
  const SafetensorsHeader header = read_safetensors_header(path);
  std::string bytes = read_file(path);
  for (const auto& tensor : header.tensors)
    if (!tensor.name.starts_with("optimiser.")) {
      bytes[size_t(tensor.begin)] = char(bytes[size_t(tensor.begin)] ^ 1);
      break;
    }
  write_file(path, bytes);
}

}  // namespace

BOOST_AUTO_TEST_CASE(data_that_cannot_be_learned_is_refused_before_anything_is_written) {
  const Place at;
  const auto with = [&](const std::string& data) { return at(tiny_train(data, at.run)); };
  check_fails(with(at.folder / "missing"), 1,
              "charlm: byte_data: cannot read " + (at.folder / "missing") + ": No such file or directory; check");
  write_file(at.folder / "empty", "");
  check_fails(with(at.folder / "empty"), 1, "/empty is empty; there is nothing to learn\n");
  write_file(at.folder / "short", "only a few bytes");
  check_fails(with(at.folder / "short"), 1, "the data has 16 bytes (train 14, valid 1, test 1); a context of 16 needs");
  fs::create_directory(at.folder / "nothing");
  check_fails(with(at.folder / "nothing"), 1, "there is no text in the folder ");
  check_fails(with(""), 1, "the path is empty");
  write_file(at.folder / "a.wav", "RIFF, but no sound");
  check_fails(with(at.folder / "a.wav"), 1, "/a.wav");
  BOOST_TEST(!fs::exists(at.run));  // nothing was begun
}

BOOST_AUTO_TEST_CASE(files_and_folders_without_permission_are_told) {
  if (::geteuid() == 0) {
    BOOST_TEST_MESSAGE("skipped: root may read and write everything");
    return;
  }
  const Place at;
  fs::permissions(at.data, fs::perms::none);
  check_fails(at.train(), 1, ": Permission denied; you need the right to read it\n");
  fs::permissions(at.data, fs::perms::owner_read);
  fs::create_directory(at.run);
  fs::permissions(at.run, fs::perms::owner_read | fs::perms::owner_exec);
  check_fails(at.train(), 1, ": Permission denied; choose a folder that you may write to\n");
  fs::permissions(at.run, fs::perms::owner_all);
}

BOOST_AUTO_TEST_CASE(a_run_folder_that_cannot_be_one_is_refused) {
  const Place at;
  write_file(at.run, "a file");
  check_fails(at.train(), 1,
              "cannot write " + at.run + "/checkpoints/step: Not a directory; a part of its path is a file");
  BOOST_TEST(read_file(at.run) == "a file");
  check_fails(at(tiny_train(at.data, "/proc/heed")), 1, "cannot write /proc/heed/checkpoints/step: ");
  check_fails(at(tiny_train(at.data, "")), 1, "the name of the run folder is empty");
}

BOOST_AUTO_TEST_CASE(a_run_folder_in_use_is_not_overwritten) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  const std::string before = read_file(at.checkpoint(12));
  check_fails(at.train({"--seed", "2"}), 1,
              "charlm: train: " + at.run + " holds a run already, at step 12; go on with --resume, or choose another");
  BOOST_TEST((read_file(at.checkpoint(12)) == before));
}

BOOST_AUTO_TEST_CASE(options_that_are_mistyped_or_impossible_are_refused_with_a_suggestion) {
  const Place at;
  check_fails(at.train({"--stpes", "5"}), 2, "charlm train: unknown option --stpes; did you mean --steps?\n");
  check_fails(at({"train", "my.txt"}), 2,
              "charlm train: \"my.txt\" belongs to no option; did you mean --data my.txt?\n");
  check_fails(at.train({"--learning-rate", "5"}), 2, "unknown option --learning-rate; did you mean --lr?\n");
  check_fails(at.train({"--n_layer=5"}), 2, "unknown option --n_layer; did you mean --layers?\n");
  check_fails(at.train({"--micro_batch", "1"}), 2, "unknown option --micro_batch; did you mean --micro-batch?\n");
  check_fails(at.train({"--steps", "five"}), 2, "--steps is \"five\"; it must be a whole number from 1 to");
  check_fails(at.train({"--preset", "smal"}), 2, "--preset is \"smal\"; it must be one of tiny, small, base; did you");
  if (devices(Backend::cuda) == 0)
    check_fails(at.train({"--device", "cuda"}), 2, "device: cuda:0 is not available: " + load_backend(Backend::cuda));
  check_fails(at.train({"--lr", "1e6"}), 2, "--lr is \"1e6\"; it must be a number from 1e-09 to 10\n");
  check_fails(at({"trian"}), 2, "charlm: there is no command \"trian\"; did you mean train?\n");
  check_fails(at({}), 2, "");
  check_fails(at.train({"--heads", "3"}), 1, "charlm: settings: width is 16 and heads 3; the heads must divide the");
  check_fails(at.train({"--micro-batch", "3"}), 1, "micro_batch is 3; it must be from 0 to 2\n");
  check_fails(at.train({"--attention", "ful"}), 1, "full");
  check_fails(at.train({"--ordering", "sxf"}), 1, "sxf");
  check_fails(at.train({"--ordering", "sandwich:2"}), 1,
              "'sandwich:2' is not sandwich:k with a whole number from 0 to 1, the number of layers");
  check_fails(at.train({"--positions", "leaned"}), 2,
              "--positions is \"leaned\"; it must be one of learned, sinusoid,");
  check_fails(at.train({"--optimiser", "adamm"}), 2, "it must be one of adagrad, adam, adamw, sgd; did you mean adam");
  check_fails(at.train({"--dtype", "f16"}), 2, "--dtype is \"f16\"; it must be one of f32, bf16; did you mean");
  check_fails(at.train({"--schedule", "cosin"}), 1, "there is no shape 'cosin'");
  const auto fails = [&](const Words& more, const std::string& text) {
    Words words = {"train", "--data", at.data, "--run", at.run};
    words.insert(words.end(), more.begin(), more.end());
    check_fails(at(words), 1, text);
  };
  fails({"--schedule", "steps=5,context=999;steps=5"}, "a phase of the schedule has context 999");
  fails({"--schedule", "steps=5;steps=6", "--steps", "7"}, "says its steps by itself (11); leave --steps away, or the");
  fails({"--schedule", "constant:rate=1e-3", "--lr", "1e-4"},
        "says its rate by itself; leave --lr away, or the rate in");
  fails({"--ordering", "sxf"}, "settings: the ordering 'sxf' has 'x' at place 1; the letters are c (cross-attention)");
  fails({"--ordering", "scf"}, "which reads a source; a language model has none");
  fails({"--ordering", "ff"}, "the ordering 'ff' has nothing that mixes tokens");
  fails({"--ordering", "ssff", "--layers", "3"}, "says its layers by itself; leave --layers or --ordering away");
  BOOST_TEST(!fs::exists(at.run));
}

BOOST_AUTO_TEST_CASE(minutes_are_for_new_runs_whose_steps_nobody_says) {
  const Place at;
  check_fails(at.train({"--minutes", "1"}), 1,
              "charlm: train: both --steps and --minutes were given; give one of them");
  const Words timed = {"train", "--data", at.data, "--run", at.run, "--minutes", "1"};
  const auto with = [&](const Words& more) {
    Words words = timed;
    words.insert(words.end(), more.begin(), more.end());
    return at(words);
  };
  check_fails(with({"--schedule", "steps=5"}), 1,
              "the schedule 'steps=5' says its steps by itself (5); leave --minutes");
  BOOST_TEST(!fs::exists(at.run));
  BOOST_TEST(at.train().code == 0);
  check_fails(with({"--resume"}), 1,
              at.run + " has its number of steps; --minutes is for a new run. Go on with --resume and");
  check_fails(with({}), 1, at.run + " has its number of steps; ");
}

BOOST_AUTO_TEST_CASE(a_damaged_newest_checkpoint_is_left_out) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  const Ran before = at({"sample", "--run", at.checkpoint(6), "--length", "20"});
  damage_weights(at.checkpoint(12));
  const Ran sample = at({"sample", "--run", at.run, "--length", "20"});
  BOOST_TEST(sample.code == 0);
  BOOST_TEST(sample.out == before.out);
  BOOST_TEST(sample.err.starts_with("the checkpoint of step 12 is left out: safetensors: "), sample.err);
  check_fails(at({"eval", "--run", at.checkpoint(12)}), 1, "step-000012.safetensors is damaged: its checksum of '");
  fs::resize_file(at.checkpoint(12), 500);
  const Ran resumed = at.train({"--resume"});
  BOOST_TEST(resumed.code == 0);
  BOOST_TEST(contains(resumed.out, "the checkpoint of step 12 is left out: "));
  BOOST_TEST(contains(resumed.out, "going on from " + at.checkpoint(6) + "\n"));
  BOOST_TEST(RunFolder(at.run).curve("step", "bpc").size() == 12u);
}

BOOST_AUTO_TEST_CASE(without_a_whole_checkpoint_nothing_is_begun_anew) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  damage_weights(at.checkpoint(6));
  write_safetensors(at.checkpoint(12), {.tensors = {{"w", zeros({2})}}});
  const std::string metrics = read_file(at.run + "/metrics.jsonl");
  check_fails(at.train({"--resume"}), 1, "none of the 2 checkpoints in " + at.run + "/checkpoints can be read (");
  check_fails(at({"sample", "--run", at.run}), 1, "none of the 2 checkpoints in ");
  check_fails(at({"look", "--run", at.checkpoint(12)}), 1, " is a safetensors file, but not a checkpoint of heed\n");
  BOOST_TEST(read_file(at.run + "/metrics.jsonl") == metrics);
}

BOOST_AUTO_TEST_CASE(other_settings_than_the_checkpoint_has_are_told_or_refused) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  const std::string config = read_file(at.run + "/config.json");
  const auto resume = [&](const Words& more) {
    Words words = {"train", "--run", at.run, "--resume", "--steps", "20"};
    words.insert(words.end(), more.begin(), more.end());
    return at(words);
  };
  check_fails(resume({"--width", "32"}), 1,
              "charlm: train: " + at.run +
                  " cannot go on with other settings than it began with: width 16 -> 32, "
                  "steps 12 -> 20. Leave these options away, or choose another folder with --run (load_model: ");
  check_fails(resume({"--optimiser", "sgd"}), 1, "optimiser \"adamw\" -> \"sgd\"");
  check_fails(resume({"--preset", "tiny"}), 1, " began with the preset small, and --preset tiny was given");
  BOOST_TEST(read_file(at.run + "/config.json") == config);
  const Ran other = resume({"--lr", "1e-4", "--heads", "4"});  // which fit
  BOOST_TEST(other.code == 0);
  BOOST_TEST(
      contains(other.out, "  changed: heads 2 -> 4\n  changed: steps 12 -> 20\n  changed: rate 0.002 -> 0.0001\n"));
  write_file(at.run + "/config.json", "{}");
  check_fails(resume({}), 1, "/config.json does not say 'preset'; it is not of a language model of this version\n");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_not_there_is_told_with_the_command_that_makes_one) {
  const Place at;
  const std::string none = at.folder / "none";
  for (const char* command : {"sample", "eval", "look"})
    check_fails(at({command, "--run", none}), 1,
                "charlm: load: there is no run " + none + "; `build/charlm train --run ");
  check_fails(at({"info", "--run", none}), 1, none + " is not a run folder: it has no config.json; ");
  check_fails(at({"compare", none}), 1, none + " is not a run folder: it has no config.json; ");
  check_fails(at({"compare"}), 1, "compare: no run was given; give run folders");
  check_fails(at({"sample", "--run", at.data}), 1, "/a.txt is not a safetensors file");
  fs::create_directory(none);
  check_fails(at({"sample", "--run", none}), 1, "load: there is no checkpoint in " + none + "/checkpoints; ");
}

BOOST_AUTO_TEST_CASE(what_a_model_cannot_do_is_refused_with_the_reason) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  check_fails(at({"look", "--run", at.run, "--text", ""}), 1, "the text is empty; give one with --text\n");
  check_fails(at({"look", "--run", at.run, "--text", "longer than the context"}), 1,
              "the text has 23 bytes; at most 16");
  check_fails(at({"eval", "--run", at.run, "--stride", "17"}), 1, "the stride must be 1 to 16");
  BOOST_TEST(at({"eval", "--run", at.run, "--context", "17"}).code == 0);  // rotary positions have no end
  check_fails(at({"eval", "--run", at.run, "--bytes", "1"}), 1, "there is none to predict");
  check_fails(at({"eval", "--run", at.run, "--data", at.folder / "none"}), 1,
              "No such file or directory; check the path");
  const Ran sound = at({"sample", "--run", at.run, "--out", at.folder / "x.wav"});
  check_fails(sound, 1, "x.wav is to be a sound, and this model has learned " + at.data + ", which is none; train");
  check_fails(at({"sample", "--run", at.run, "--out", at.data + "/x"}), 1, "; a part of its path is a file");
  check_fails(at({"sample", "--run", at.run, "--out", at.data + "/x", "--count", "2"}), 1,
              "/x-1: Not a directory; a part of its path is a file");
  check_fails(at({"sample", "--run", at.run, "--count", "0"}), 2, "--count is \"0\"; it must be a whole number from 1");
  fs::remove(at.data);
  check_fails(at({"eval", "--run", at.run}), 1,
              "has learned was " + at.data + ", and is not there any more; say where it is now with --data");
}

BOOST_AUTO_TEST_CASE(output_that_is_not_written_is_no_success) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  const std::vector<Words> commands = {{"sample", "--run", at.run, "--length", "20"},
                                       {"sample", "--run", at.run, "--length", "20", "--prompt", "The "},
                                       {"sample", "--run", at.run, "--length", "20", "--count", "20"},
                                       {"sample", "--run", at.run, "--length", "20", "--json"},
                                       {"eval", "--run", at.run, "--threads", "1"},
                                       {"eval", "--help"}};
  for (const Words& words : commands) {
    const Ran ran = charlm(at.folder.path.string(), words, "/dev/full");
    BOOST_TEST(ran.code == 1);
    BOOST_TEST(contains(ran.err, "charlm: not all of the output was written to stdout"), ran.err);
    BOOST_TEST((contains(ran.err, ": No space left on device\n") || words[0] == "sample"), ran.err);
    BOOST_TEST(!contains(ran.err, "bytes per second"));
  }
  BOOST_TEST(charlm(at.folder.path.string(), {"sample", "--run", at.run, "--length", "20"}, "/dev/null").code == 0);
}

BOOST_AUTO_TEST_CASE(fetching_what_is_not_there_is_an_error) {
  const Place at;
  check_fails(at({"fetch"}), 1,
              "fetch: 0 words were given; it takes a name and a folder, such as: charlm fetch enwik8");
  check_fails(at({"fetch", "enwik9", at.folder / "data"}), 1, "there is no data set 'enwik9'");
  check_fails(at({"fetch", "text8", at.folder / "data", "--from", "file://" + (at.folder / "server")}), 1, "text8");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_run_of_ours_is_left_alone) {
  const Place at;
  write_file(at.run + "/config.json", "{\"mine\": 1}\n");
  write_file(at.run + "/thesis.txt", "years of work");
  check_fails(at.train(), 1, "config.json does not say 'preset'; it is not of a language model of this version");
  check_fails(at({"demo", "--quick", "--run", at.run}), 1, "config.json does not say 'preset'");
  BOOST_TEST(read_file(at.run + "/config.json") == "{\"mine\": 1}\n");
  BOOST_TEST(read_file(at.run + "/thesis.txt") == "years of work");
}

BOOST_AUTO_TEST_CASE(a_new_demo_deletes_nothing_of_the_old_one) {
  const Folder folder;
  LmSettings old = preset("tiny");
  old.data = "self", old.steps = 1500;
  const std::string run = folder / "demo";
  RunFolder(run).write_config(to_json(old));
  for (const char* name : {"look/index.html", "samples/mine.txt", "notes.txt"}) write_file(run + "/" + name, "mine");
  Charlm demo(folder.path.string(), {"demo", "--run", run});
  demo.wait_for("the demo of before is now " + run + "-1\n");
  demo.wait_until([&] { return RunFolder(run).exists(); });
  demo.signal(SIGKILL);
  demo.wait();
  for (const char* name : {"look/index.html", "samples/mine.txt", "notes.txt"})
    BOOST_TEST(read_file(run + "-1/" + name) == "mine", name);
}

BOOST_AUTO_TEST_CASE(metrics_without_a_checkpoint_are_not_overwritten) {
  const Place at;
  BOOST_TEST(at.train().code == 0);
  fs::remove_all(at.run + "/checkpoints");
  const std::string before = read_file(at.run + "/metrics.jsonl");
  check_fails(at.train(), 1, "holds the metrics of a run without a checkpoint; start it again with --resume");
  check_fails(at({"demo", "--quick", "--run", at.run}), 1, "holds another run, which has learned " + at.data);
  BOOST_TEST(read_file(at.run + "/metrics.jsonl") == before);
}

BOOST_AUTO_TEST_CASE(a_run_inside_of_its_data_is_refused) {
  const Place at;
  check_fails(at(tiny_train(at.folder.path.string(), at.run, {})), 1,
              "the run folder " + at.run + " lies in the data, " + at.folder.path.string());
}

// The settings of a small file may describe a model of a terabyte.
BOOST_AUTO_TEST_CASE(a_checkpoint_whose_settings_lie_is_refused_before_the_model_is_made) {
  const Trained t;
  TrainingState state = read_checkpoint(t.checkpoint(12), CheckpointPart::model);
  Json settings = Json::parse(state.settings, "it");
  settings["width"] = 65536L;
  settings["heads"] = 1024L;
  settings["layers"] = 40L;
  state.settings = settings.dump();
  write_safetensors(t.checkpoint(12), to_safetensors(state));
  const Ran ran = t({"sample", "--run", t.checkpoint(12)});
  check_fails(ran, 1, "does not fit: 'input.tokens.weight' is (256, 16), expected (256, 65536); ");
}

#ifndef __SANITIZE_ADDRESS__  // which maps more than any limit to keep its books
// OpenBLAS asks for ever for memory that the system does not give.
BOOST_AUTO_TEST_CASE(little_memory_is_a_sentence_and_not_a_program_that_hangs) {
  const Place at;
  const auto within = [&](const std::string& kib, const Words& more) {  // the shell has the limit, not the tests
    const std::string out = at.folder / "out", err = at.folder / "err";
    // With kernels that the user chose OpenBLAS would ask for its work space later, and be what has none.
    std::string command = "unset OPENBLAS_CORETYPE; ulimit -v " + kib + "; exec " +
                          shell_quoted((fs::read_symlink("/proc/self/exe").parent_path() / "charlm").string());
    for (const std::string& word : tiny_train(at.data, at.run, more)) command += " " + shell_quoted(word);
    const int status = std::system((command + " >" + shell_quoted(out) + " 2>" + shell_quoted(err)).c_str());
    return Ran{WEXITSTATUS(status), read_file(out), read_file(err)};
  };
  check_fails(within("250000", {"--threads", "2"}), 1,
              "OpenBLAS needs 128 MiB of work space for each of 2 threads, and the system gives it to ");
  const std::string middle = "600000";
  const Ran weights = within(middle, {"--width", "2048", "--heads", "16", "--layers", "8"});
  check_fails(weights, 1, "MiB in all (ulimit -v). These are ");
  check_fails(weights, 1, "which a smaller batch does not change: use a smaller model\n");
  check_fails(within(middle, {"--width", "512", "--heads", "8", "--batch", "2000", "--context", "16"}), 1,
              "MiB in all (ulimit -v). Try a smaller batch or a shorter context\n");
}
#endif

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_are_no_model) {
  const Trained t;
  TrainingState state = read_checkpoint(t.checkpoint(12));
  fill(state.weights.back().value, NAN);
  write_safetensors(t.checkpoint(12), to_safetensors(state));
  for (const char* command : {"eval", "look", "sample"})
    check_fails(t({command, "--run", t.checkpoint(12)}), 1, " has a weight that is not a finite number, in '");
  state = read_checkpoint(t.checkpoint(6));  // finite, and too large to compute with
  for (NamedTensor& tensor : state.weights) fill(tensor.value, 3e38);
  write_safetensors(t.checkpoint(6), to_safetensors(state));
  check_fails(t({"eval", "--run", t.checkpoint(6)}), 1, "its numbers are too large");
  check_fails(t({"look", "--run", t.checkpoint(6), "--text", "a text"}), 1,
              " is not a finite number: there is nothing to");
}

BOOST_AUTO_TEST_CASE(a_path_that_is_not_utf_8_is_told_before_anything_is_written) {
  const Place at;
  const std::string data = at.folder / "a\xff.txt";
  write_file(data, tiny_text());
  check_fails(at(tiny_train(data, at.run)), 1,
              "not UTF-8: config.json could not hold it. Rename the file, or give a link");
  BOOST_TEST(!fs::exists(at.run));
}

BOOST_AUTO_TEST_CASE(a_model_without_learned_positions_is_not_converted) {
  const Trained t({"--positions", "rotary"});
  check_fails(t({"train", "--from", t.run, "--context", "40", "--run", t.folder / "longer"}), 1,
              "convert: " + t.run +
                  " has rotary positions, and only learned ones end at the context (16): it needs no conversion. Go on "
                  "in its own folder with --resume --context 40, or begin with its weights as they are: --preset ");
  BOOST_TEST(!std::filesystem::exists(t.folder / "longer"));
}

BOOST_AUTO_TEST_SUITE_END()
