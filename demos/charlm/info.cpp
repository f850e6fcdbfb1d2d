// charlm info: what a run is, its settings, its last numbers and its checkpoints.
#include <cstdio>

#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"
#include "train/checkpoint_files.h"
#include "train/run_folder.h"

using namespace heed;

namespace {

Json checkpoints_of(const CheckpointFiles& files) {
  Json list = Json::array();
  const auto best = files.best();
  for (const CheckpointFile& file : files.list()) {
    Json one = Json::object();
    one["step"] = file.step;
    one["path"] = file.path;
    try {
      const auto numbers = read_checkpoint_summary(file.path).numbers;
      if (numbers.contains(kValidBpc)) one[kValidBpc] = numbers.at(kValidBpc);
    } catch (const Error& error) {
      one["damaged"] = error.what();
    }
    one["best"] = best && best->step == file.step;
    list.push_back(one);
  }
  return list;
}

// How far it came: "step 120 of 2000, validation 2.3456 bits per byte, 3 min 20 s of training"
std::string progress_of(const Json& info) {
  const Json* valid = info.find("valid_bpc");
  return "step " + info.at("step").dump() + " of " + info.at("last_step").dump() +
         (valid ? format(", validation %.4f bits per byte", valid->number()) : "") + ", " +
         duration_text(info.at("seconds").number()) + " of training";
}

// The last step, time and validation in the metrics
void add_progress(Json& info, const RunFolder& folder, const LmSettings& settings) {
  info["step"] = long(folder.last("step").value_or(0));
  info["last_step"] = schedule_of(settings).steps();
  info["seconds"] = folder.last("seconds").value_or(0);
  if (const auto valid = folder.last(kValidBpc)) info[kValidBpc] = *valid;
}

void print(const Json& info) {
  std::printf("%s: %s parameters\n%s\n\n", info.at("run").text().c_str(), info.at("parameters").dump().c_str(),
              progress_of(info).c_str());
  for (const auto& [name, value] : info.at("settings").members())
    std::printf("  %-20s %s\n", name.c_str(), value.is_text() ? value.text().c_str() : value.dump().c_str());
  std::printf("\n");
  for (const Json& one : info.at("checkpoints").items())
    std::printf("  %s%s%s%s\n", one.at("path").text().c_str(),
                one.find("valid_bpc") ? format("   valid %.4f", one.at("valid_bpc").number()).c_str() : "",
                one.at("best").truth() ? "   best" : "",
                one.find("damaged") ? ("   cannot be read: " + one.at("damaged").text()).c_str() : "");
}

}  // namespace

int info_command(int argc, char** argv) {
  std::string path = kUsualRun;
  bool json = false;
  CommandLine line("charlm info", "What a run is, and how far it came.");
  line.option("--run", path, "the run folder");
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  const RunFolder folder(path);
  const LmSettings settings = settings_from_json(folder.config(), folder.file("config.json"));
  Gpt model(model_options(settings));
  Json info = Json::object();
  info["run"] = folder.path();
  info["parameters"] = model.parameter_count();
  info["settings"] = to_json(settings);
  add_progress(info, folder, settings);
  info["checkpoints"] = checkpoints_of(CheckpointFiles(path));
  if (json)
    std::printf("%s\n", info.dump().c_str());
  else
    print(info);
  return 0;
}
