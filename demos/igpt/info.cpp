// igpt info: what a run is, its settings, its last numbers and its checkpoints.
#include <cstdio>

#include "demos/igpt/igpt.h"
#include "system/text.h"
#include "train/run_info.h"

using namespace heed;

int info_command(int argc, char** argv) {
  std::string path = kUsualRun;
  bool json = false;
  CommandLine line("igpt info", "What a run is, and how far it came.");
  line.option("--run", path, "the run folder");
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  const RunFolder folder(path);
  const ImageSettings settings = image_settings_from_json(folder.config(), folder.file("config.json"));
  const LoadedIgpt loaded = load_igpt(path);
  Json info = run_info(folder, {.settings = to_json(settings),
                                .parameters = loaded.model->parameter_count(),
                                .last_step = schedule_of(settings).steps(),
                                .score = image_score()});
  info["palette"] = Json::parse(loaded.palette.saved(), "palette");
  const std::string head = std::to_string(loaded.palette.size()) +
                           (loaded.palette.channels() == 1 ? " levels of grey" : " colours") +
                           ", labels: " + (loaded.labels.empty() ? "none" : joined(loaded.labels, ", ")) + "\n";
  std::printf("%s", json ? (info.dump() + "\n").c_str() : (head + run_info_text(info, image_score())).c_str());
  return 0;
}
