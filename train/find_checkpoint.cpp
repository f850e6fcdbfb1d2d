#include "train/find_checkpoint.h"

#include <filesystem>

#include "train/run_folder.h"

namespace heed {
namespace {

FoundCheckpoint find_in(const std::string& run, const CheckpointChoice& choice) {
  const CheckpointFiles files(run, 1, choice.score);
  if (const auto file = choice.best ? files.best() : std::nullopt)
    return {file->path, read_checkpoint(file->path, choice.part)};
  const auto tell = [&](const std::string& text) {
    if (choice.say) choice.say(text);
  };
  if (choice.best) tell("no checkpoint in " + files.folder() + " has a validation: taking the newest");
  auto state = files.newest(tell, choice.part);
  if (!state) throw NoRun("load: there is no checkpoint in " + files.folder(), run);
  return {files.path(state->step), std::move(*state)};
}

}  // namespace

FoundCheckpoint find_checkpoint(const std::string& run_or_file, const CheckpointChoice& choice) {
  std::error_code none;
  if (!std::filesystem::exists(run_or_file, none)) throw NoRun("load: there is no run " + run_or_file, run_or_file);
  if (std::filesystem::is_directory(run_or_file, none)) return find_in(run_or_file, choice);
  return {run_or_file, read_checkpoint(run_or_file, choice.part)};
}

}  // namespace heed
