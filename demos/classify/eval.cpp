// classify eval: how many texts a classifier gives their own label, and what it takes for what.
#include <cstdio>

#include "demos/classify/classify.h"
#include "system/error.h"
#include "system/progress.h"
#include "tasks/classify/classify_run_load.h"
#include "tasks/classify/classify_task.h"
#include "train/run_load.h"

using namespace heed;

namespace {

struct Asked {
  std::string run = kUsualRun, data = {}, split = "valid";
  bool best = false, json = false;
  long batch = 32;

  void add_options(CommandLine& line) {
    line.option("--run", run, "the run folder, or the file of a checkpoint");
    line.flag("--best", best, "the checkpoint with the best validation, in place of the newest");
    line.option("--data", data, "other texts than the run's: all of them, unless --split says otherwise");
    line.option("--split", split, "which part of the texts", {"train", "valid", "test", "all"});
    line.option("--batch", batch, "texts at a time", 1L);
    line.json(json);
  }
};

LabelledExamples part_of(const LabelledText& data, const std::string& name) {
  return name == "train" ? data.train : name == "valid" ? data.valid : name == "test" ? data.test : data.all();
}

void print(const Asked& asked, const LoadedClassifier& loaded, const Confusion& result, double majority) {
  if (asked.json) {
    Json object = result.json();
    object["majority"] = majority;
    object["texts"] = result.texts();
    object["split"] = asked.split;
    object["step"] = loaded.step;
    object["checkpoint"] = loaded.path;
    std::printf("%s\n", object.dump().c_str());
    return;
  }
  std::printf("step %ld on %ld texts of %s; always the most frequent of their labels: %.4f\n", loaded.step,
              result.texts(), asked.split.c_str(), majority);
  std::printf("a row for each label, a column for what it was given:\n%s", result.text().c_str());
  std::printf("accuracy=%.4f\n", result.accuracy());
}

}  // namespace

int eval_command(int argc, char** argv) {
  Asked asked;
  CommandLine line("classify eval", "Measures how many texts a classifier gives their own label.");
  asked.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (line.given("--data") && !line.given("--split")) asked.split = "all";
  const LoadedClassifier loaded = load_classifier(
      asked.run, asked.best, [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); });
  if (asked.data.empty()) asked.data = loaded.settings.data;
  HEED_CHECK(!asked.data.empty(), "eval", loaded.path,
             " is not in the folder of its run, whose config.json says what it has learned; give texts with --data");
  if (!line.given("--data")) check_data(asked.data, asked.run);
  const LabelledText data = open_labelled(asked.data, loaded.settings.context, loaded.labels);
  const LabelledExamples part = part_of(data, asked.split);
  Progress progress("text", long(part.size()));
  const Confusion result =
      confusion_of(*loaded.model, part, loaded.labels,
                   {.batch = asked.batch, .context = loaded.settings.context, .progress = [&](long done, long) {
                      progress.show(done, "");
                    }});
  progress.finish("");
  const double majority = share_of_label(part, majority_label(part, long(loaded.labels.size())));
  print(asked, loaded, result, majority);
  return 0;
}
