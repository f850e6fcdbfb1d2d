#include "train/run_load.h"

#include <filesystem>

#include "system/error.h"
#include "train/checkpoint_files.h"
#include "train/run_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// The newest checkpoint that can be read, or the best.
FoundCheckpoint find_in(const std::string& run, const CheckpointChoice& choice) {
  const CheckpointFiles files(run, 2, choice.score);
  if (auto state = choice.best ? files.read_best(CheckpointPart::model) : std::nullopt)
    return {files.path(state->step), std::move(*state), ""};
  const auto tell = [&](const std::string& text) {
    if (choice.say) choice.say(text);
  };
  if (choice.best) tell("no checkpoint in " + files.folder() + " has a validation: taking the newest");
  auto state = files.newest(tell, CheckpointPart::model);
  if (!state) throw NoRun("load: there is no checkpoint in " + files.folder(), run);
  return {files.path(state->step), std::move(*state), ""};
}

// Where the data lies only the run's config says, RUN/config.json of RUN/checkpoints/step-000120.safetensors.
std::string data_of(const std::string& checkpoint) {
  try {
    const RunFolder run(fs::absolute(checkpoint).parent_path().parent_path().string());
    return run.exists() ? run.data() : "";
  } catch (const Error&) {  // it is damaged; a model that writes needs no data
    return "";
  }
}

}  // namespace

void check_data(const std::string& data, const std::string& run) {
  std::error_code none;
  HEED_CHECK(!fs::path(data).is_absolute() || fs::exists(data, none), "load", "what ", run, " has learned was ", data,
             ", and is not there any more; say where it is now with --data");
}

FoundCheckpoint find_checkpoint(const std::string& run_or_file, const CheckpointChoice& choice) {
  std::error_code none;
  if (!fs::exists(run_or_file, none)) throw NoRun("load: there is no run " + run_or_file, run_or_file);
  FoundCheckpoint found = fs::is_directory(run_or_file, none)
                              ? find_in(run_or_file, choice)
                              : FoundCheckpoint{run_or_file, read_checkpoint(run_or_file, CheckpointPart::model), ""};
  found.data = data_of(found.path);
  return found;
}

}  // namespace heed
