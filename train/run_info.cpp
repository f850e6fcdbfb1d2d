#include "train/run_info.h"

#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"
#include "train/checkpoint_files.h"

namespace heed {
namespace {

Json checkpoints_of(const CheckpointFiles& files, const Score& score) {
  Json list = Json::array();
  const auto best = files.best();
  for (const CheckpointFile& file : files.list()) {
    Json one = Json::object();
    one["step"] = file.step;
    one["path"] = file.path;
    try {
      const auto numbers = read_checkpoint_summary(file.path).numbers;
      if (numbers.contains(score.valid())) one[score.valid()] = numbers.at(score.valid());
    } catch (const Error& error) {
      one["damaged"] = error.what();
    }
    one["best"] = best && best->step == file.step;
    list.push_back(one);
  }
  return list;
}

// How far it came: "step 120 of 2000, validation 2.3456 bits per byte, 3 min 20 s of training"
std::string progress_of(const Json& info, const Score& score) {
  const Json* valid = info.find(score.valid());
  return "step " + info.at("step").dump() + " of " + info.at("last_step").dump() +
         (valid ? format(", validation %.4f %s", valid->number(), score.unit.c_str()) : "") + ", " +
         duration_text(info.at("seconds").number()) + " of training";
}

std::string checkpoint_line(const Json& one, const Score& score) {
  const Json *valid = one.find(score.valid()), *damaged = one.find("damaged");
  return "  " + one.at("path").text() + (valid ? format("   valid %.4f", valid->number()) : "") +
         (one.at("best").truth() ? "   best" : "") + (damaged ? "   cannot be read: " + damaged->text() : "") + "\n";
}

}  // namespace

Json run_info(const RunFolder& folder, const RunFacts& facts) {
  Json info = Json::object();
  info["run"] = folder.path();
  info["parameters"] = facts.parameters;
  info["settings"] = facts.settings;
  info["step"] = long(folder.last("step").value_or(0));
  info["last_step"] = facts.last_step;
  info["seconds"] = folder.last("seconds").value_or(0);
  if (const auto valid = folder.last(facts.score.valid())) info[facts.score.valid()] = *valid;
  info["checkpoints"] = checkpoints_of(CheckpointFiles(folder.path(), 2, facts.score), facts.score);
  return info;
}

std::string run_info_text(const Json& info, const Score& score) {
  std::string text =
      info.at("run").text() + ": " + info.at("parameters").dump() + " parameters\n" + progress_of(info, score) + "\n\n";
  for (const auto& [name, value] : info.at("settings").members())
    text += format("  %-20s ", name.c_str()) + (value.is_text() ? value.text() : value.dump()) + "\n";
  text += "\n";
  for (const Json& one : info.at("checkpoints").items()) text += checkpoint_line(one, score);
  return text;
}

}  // namespace heed
