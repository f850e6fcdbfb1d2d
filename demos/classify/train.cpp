// classify train: the options of a run, and what is said before it; the run itself is train/run.h.
#include <algorithm>

#include "demos/classify/classify.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/shell_quoted.h"
#include "tasks/classify/classify_task.h"
#include "tensor/machine.h"
#include "train/train_options.h"

using namespace heed;

namespace {

std::string own_help(const Setting& setting) {
  if (setting.name == "preset") return setting.help + " (what is in brackets below is small's)";
  if (setting.name == "pool") return setting.help + "; if nothing is said, the first one's for listops";
  if (setting.name == "attention") return setting.help + "; build/attention list tells more";
  return setting.help;
}

// Letters say their layers by themselves; an ordering that has a name is made of the layers, and kept by its letters.
void settle_ordering(ClassifySettings& s, bool typed, bool layers_typed) {
  if (!typed) return;
  const std::string letters = ordering_of(s);
  const bool by_letters = letters == s.ordering;
  HEED_CHECK(!by_letters || !layers_typed, "train", "the ordering '", s.ordering,
             "' says its layers by itself; leave --layers or --ordering away");
  if (by_letters) s.layers = std::max(1L, long(std::count(letters.begin(), letters.end(), 's')));
  s.ordering = letters;
}

ClassifySettings defaults() {
  ClassifySettings s = classify_preset("small");
  s.data = "listops";
  return s;
}

// What was typed, on top of the preset or of what the run has.
ClassifySettings settings_of(const TypedSettings& options, const ClassifySettings& typed, const RunOptions& run) {
  const auto saved = run.resume ? settings_to_resume(RunFolder(run.run)) : std::nullopt;
  ClassifySettings s = saved ? classify_settings_from_json(saved->json, saved->from) : classify_preset(typed.preset);
  HEED_CHECK(!saved || !options.given("preset") || s.preset == typed.preset, "train", run.run,
             " began with the preset ", s.preset, ", and --preset ", typed.preset,
             " was given; leave it away, or choose another folder");
  HEED_CHECK(!saved || !s.data.empty() || options.given("data"), "train", run.run,
             " has no config.json that can be read, which says what it learns; give the same texts with --data");
  if (s.data.empty()) s.data = typed.data;
  options.copy_given(table_of(s));
  options.check_schedule(s);
  settle_ordering(s, options.given("ordering"), options.given("layers"));
  // The first token is the outermost operator, which says most about the value: the benchmark reads it there, too.
  if (!saved && s.data.starts_with("listops") && !options.given("pool")) s.pool = "cls";
  if (!saved && s.optimiser != "adamw" && !options.given("weight_decay")) s.weight_decay = 0;
  check_settings(s);
  return s;
}

RunPage page_of(const std::string& run, const ClassifySettings& s) {
  return {.about = "a classifier by heed, learning " + s.data,
          .commands = {"build/classify train --run " + shell_quoted(run) + " --resume      # longer: --steps N",
                       "build/classify eval --run " + shell_quoted(run) + " --split test"}};
}

}  // namespace

int train_command(int argc, char** argv) {
  TrainOptions train;
  train.run.run = kUsualRun;
  ClassifySettings typed = defaults();
  CommandLine line("classify train", "Trains a classifier of texts and writes all of it into a run folder.");
  const TypedSettings options(line, table_of(typed), own_help);
  train.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!train.json) print_sentence(machine_description());
  ClassifySettings settings = settings_of(options, typed, train.run);
  train.learns(settings.data, {"listops"});
  const LabelledText data = open_labelled(settings.data, settings.context);
  train.begin();
  train.run.page = page_of(train.run.run, settings);
  train.run.say(settings.data + ": " + data.summary());
  if (train.minutes > 0) {
    ClassifyTask trial(settings, data);
    settings.steps = train.steps_for(line, trial);
  }
  ClassifyTask task(settings, data);
  for (const std::string& note : task.notes()) train.run.say(note);
  return train.train(task, "build/classify");
}
