// charlm train: the options of a run, and what is printed before and after it; the run itself is
// train/run.h, and what all programs that train have in common is train/train_options.h.
#include "demos/charlm/charlm.h"
#include "demos/charlm/setting_options.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/language_task.h"
#include "tensor/machine.h"
#include "train/train_options.h"

using namespace heed;

int train_command(int argc, char** argv) {
  TrainOptions train;
  train.run.run = kUsualRun;
  CommandLine line("charlm train", "Trains a character language model and writes all of it into a run folder.");
  const SettingOptions options(line);
  train.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!train.json) print_line(machine_description());
  LmSettings settings = options.settings(train.run.run, train.run.resume);
  train.learns(settings.data, {"self"});
  const ByteData data = open_data(settings.data);
  settings.sample_rate = data.sample_rate;
  train.check_apart(settings.data);
  train.begin();
  train.run.page = page_of(train.run.run, settings);
  train.run.say(settings.data + ": " + data.summary() +
                format("; knowing only frequencies: %.2f bits per byte", data.valid.entropy()));
  const auto vocabulary = train.run.resume ? vocabulary_of_run(train.run.run) : byte_vocabulary();
  if (train.minutes > 0) {
    LanguageTask trial(settings, data, vocabulary);
    settings.steps = train.steps_for(line, trial);
  }
  LanguageTask task(settings, data, vocabulary);
  return train.train(task, "build/charlm");
}
