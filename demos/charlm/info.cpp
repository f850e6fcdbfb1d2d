// charlm info: what a run is, its settings, its last numbers and its checkpoints.
#include <cstdio>

#include "demos/charlm/charlm.h"
#include "train/run_info.h"

using namespace heed;

RunFacts facts_of(const RunFolder& run) {
  const LmSettings settings = settings_from_json(run.config(), run.file("config.json"));
  Gpt model(model_options(settings, vocabulary_of_run(run.path())->size()));
  return {
      .settings = to_json(settings), .parameters = model.parameter_count(), .last_step = schedule_of(settings).steps()};
}

int info_command(int argc, char** argv) {
  std::string path = kUsualRun;
  bool json = false;
  CommandLine line("charlm info", "What a run is, and how far it came.");
  line.option("--run", path, "the run folder");
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  const RunFolder folder(path);
  const Json info = run_info(folder, facts_of(folder));
  std::printf("%s", json ? (info.dump() + "\n").c_str() : run_info_text(info, {}).c_str());
  return 0;
}
