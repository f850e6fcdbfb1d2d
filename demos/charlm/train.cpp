// charlm train: the options of a run, and what is printed before and after it; the run itself is
// train/run.h.
#include <cstdio>
#include <filesystem>

#include "demos/charlm/charlm.h"
#include "demos/charlm/setting_options.h"
#include "system/error.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/language_task.h"
#include "tensor/machine.h"
#include "train/checkpoint_files.h"
#include "train/run.h"
#include "train/trainer.h"

using namespace heed;

namespace {

void print_json(const Json& line) { print_line(line.dump()); }

struct Extras {
  RunOptions run{.run = kUsualRun, .option_name = option_name};
  std::string device = "cpu";
  bool json = false;
  double minutes = 0;

  void add_options(CommandLine& line) {
    line.option("--minutes", minutes,
                "train for about so long (validation comes on top); 0: for as many steps as --steps says", 0.0, 1e6);
    line.option("--run", run.run, "the folder for all that the run writes");
    line.option("--from", run.from, "begin with the weights of this run, or of a checkpoint, as far as they fit");
    line.flag("--resume", run.resume, "go on from the newest checkpoint of the run, to the same bits");
    line.flag("--check-finite", run.check_finite, "look at the result of every op for NaN and infinity; slower");
    line.option("--device", device, "where to compute", {"cpu"});
    line.json(json);
  }
};

// --minutes, as steps.
long steps_for(const Extras& extras, const LmSettings& s, const ByteData& data) {
  HEED_CHECK(
      CheckpointFiles(extras.run.run).list().empty(), "train", extras.run.run,
      " has its number of steps; --minutes is for a new run. Go on with --resume and without it, or to more with "
      "--steps N, or choose another folder with --run");
  HEED_CHECK(schedule_of(s).steps() == s.steps, "train", "the schedule '", s.schedule, "' says its steps by itself (",
             schedule_of(s).steps(), "); leave --minutes away, or the steps in the schedule");
  LanguageTask trial(s, data);
  extras.run.say("trying some steps, to see how many fit into " + duration_text(60 * extras.minutes) + " ...");
  return steps_within(60 * extras.minutes, trial);
}

// A run inside of the folder that it learns would learn its own pages when it is resumed.
void check_apart(const std::string& data, const std::string& run) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (data == "self" || !fs::is_directory(data, none)) return;
  const fs::path inner = fs::weakly_canonical(run, none).lexically_relative(fs::weakly_canonical(data, none));
  HEED_CHECK(inner.empty() || *inner.begin() == "..", "train", "the run folder ", run, " lies in the data, ", data,
             ": it would learn what it writes. Choose a folder outside with --run");
}

}  // namespace

int train_command(int argc, char** argv) {
  Extras extras;
  CommandLine line("charlm train", "Trains a character language model and writes all of it into a run folder.");
  const SettingOptions options(line);
  extras.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!extras.json) print_line(machine_description());
  LmSettings settings = options.settings(extras.run.run, extras.run.resume);
  const ByteData data = open_data(settings.data);
  settings.sample_rate = data.sample_rate;
  check_apart(settings.data, extras.run.run);
  extras.run.say = [&](const std::string& text) {
    extras.json ? void(std::fprintf(stderr, "%s\n", text.c_str())) : print_line(text);
  };
  extras.run.quiet = extras.json;
  extras.run.page = page_of(extras.run.run, settings);
  if (extras.json) extras.run.metrics = print_json;
  extras.run.say(settings.data + ": " + data.summary() +
                 format("; knowing only frequencies: %.2f bits per byte", data.valid.entropy()));
  if (extras.minutes > 0) {
    HEED_CHECK(!line.given("--steps"), "train", "both --steps and --minutes were given; give one of them");
    settings.steps = steps_for(extras, settings, data);
  }
  LanguageTask task(settings, data);
  const RunResult result = train_run(task, extras.run);
  if (result.stopped)
    extras.run.say("go on with: build/charlm train --resume --run " + extras.run.run);
  else
    extras.run.say("the page is " + extras.run.run + "/index.html");
  extras.json ? print_json(final_json(result, task.score())) : print_line(final_line(result, task.score()));
  return result.stopped ? kInterrupted : 0;
}
