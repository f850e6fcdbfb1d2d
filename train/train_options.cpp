#include "train/train_options.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "system/error.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/shell_quoted.h"
#include "train/checkpoint_files.h"
#include "train/run_folder.h"
#include "train/run_load.h"
#include "train/trainer.h"

namespace heed {
namespace {

void print_json(const Json& line) { print_line(line.dump()); }

}  // namespace

void TrainOptions::add_options(CommandLine& line) {
  add_set_options(line);
  line.option("--from", run.from, "begin with the weights of this run, or of a checkpoint, as far as they fit");
}

void TrainOptions::add_set_options(CommandLine& line) {
  line.option("--minutes", minutes,
              "train for about so long in all (validation comes on top); 0: for as many steps as --steps says", 0.0,
              1e6);
  line.option("--run", run.run, "the folder for all that is written");
  line.flag("--resume", run.resume, "go on from where it stopped, to the same bits");
  line.flag("--check-finite", run.check_finite, "look at the result of every op for NaN and infinity; slower");
  line.flag("--quiet", run.quiet, "no line of progress");
  line.json(json);
}

void TrainOptions::begin() {
  const bool to_stderr = json;
  run.say = [to_stderr](const std::string& text) {
    to_stderr ? void(std::fprintf(stderr, "%s\n", text.c_str())) : print_sentence(text);
  };
  run.quiet |= json;
  if (json) run.metrics = print_json;
}

void TrainOptions::learns(const std::string& data, const std::vector<std::string>& names) {
  const auto is_called = [&](const std::string& name) { return data == name || data.starts_with(name + ":"); };
  if (data.empty() || std::any_of(names.begin(), names.end(), is_called)) return;
  if (run.resume) check_data(data, run.run);
  run.data_path = absolute_path(data);
}

void TrainOptions::check_apart(const std::string& data) const {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(data, none)) return;
  const fs::path inner = fs::weakly_canonical(run.run, none).lexically_relative(fs::weakly_canonical(data, none));
  HEED_CHECK(inner.empty() || *inner.begin() == "..", "train", "the run folder ", run.run, " lies in the data, ", data,
             ": it would learn what it writes. Choose a folder outside with --run");
}

void TrainOptions::check_minutes(const CommandLine& line, const TrainSettings& s) const {
  if (minutes == 0) return;
  HEED_CHECK(!line.given("--steps"), "train", "both --steps and --minutes were given; give one of them");
  HEED_CHECK(schedule_of(s).steps() == s.steps, "train", "the schedule '", s.schedule, "' says its steps by itself (",
             schedule_of(s).steps(), "); leave --minutes away, or the steps in the schedule");
}

long TrainOptions::steps_for(const CommandLine& line, Task& trial) const {
  check_minutes(line, trial.training());
  HEED_CHECK(
      CheckpointFiles(run.run).list().empty(), "train", run.run,
      " has its number of steps; --minutes is for a new run. Go on with --resume and without it, or to more with "
      "--steps N, or choose another folder with --run");
  run.say("trying some steps, to see how many fit into " + duration_text(60 * minutes) + " ...");
  return steps_within(60 * minutes, trial);
}

int TrainOptions::train(Task& task, const std::string& program) const {
  const RunResult result = train_run(task, run);
  run.say("the page is " + RunFolder(run.run).file("index.html"));
  if (result.stopped) run.say("go on with: " + program + " train --resume --run " + shell_quoted(run.run));
  json ? print_json(final_json(result, task.score())) : print_line(final_line(result, task.score()));
  return result.stopped ? kInterrupted : 0;
}

}  // namespace heed
