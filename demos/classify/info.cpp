// classify info: what a run is, its settings, its last numbers and its checkpoints.
#include <cstdio>

#include "demos/classify/classify.h"
#include "system/text.h"
#include "tasks/classify/classify_run_load.h"
#include "tasks/classify/classify_task.h"
#include "train/run_info.h"

using namespace heed;

int info_command(int argc, char** argv) {
  std::string path = kUsualRun;
  bool json = false;
  CommandLine line("classify info", "What a run is, and how far it came.");
  line.option("--run", path, "the run folder");
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  const RunFolder folder(path);
  const ClassifySettings settings = classify_settings_from_json(folder.config(), folder.file("config.json"));
  const LoadedClassifier loaded = load_classifier(path);
  Json info = run_info(folder, {.settings = to_json(settings),
                                .parameters = loaded.model->parameter_count(),
                                .last_step = schedule_of(settings).steps(),
                                .score = classify_score()});
  info["labels"] = Json::parse(labels_text(loaded.labels), "labels");
  std::printf("%s",
              json ? (info.dump() + "\n").c_str()
                   : ("labels: " + joined(loaded.labels, ", ") + "\n" + run_info_text(info, classify_score())).c_str());
  return 0;
}
