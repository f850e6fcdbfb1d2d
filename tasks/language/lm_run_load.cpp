// load_run: the model of a run, without what only training needs.
#include <filesystem>

#include "tasks/language/lm_run.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

struct Found {
  std::string path;
  TrainingState state;
};

// The newest checkpoint that can be read, or the best.
Found find_in(const std::string& run, bool best, const Say& say) {
  const CheckpointFiles files(run);
  if (const auto file = best ? files.best() : std::nullopt)
    return {file->path, read_checkpoint(file->path, CheckpointPart::model)};
  const auto tell = [&](const std::string& text) {
    if (say) say(text);
  };
  if (best) tell("no checkpoint in " + files.folder() + " has a validation: taking the newest");
  auto state = files.newest(tell, CheckpointPart::model);
  HEED_CHECK(state, "load", "there is no checkpoint in ", files.folder(), "; `build/charlm train --run ", run,
             "` makes one");
  return {files.path(state->step), std::move(*state)};
}

}  // namespace

LoadedModel load_run(const std::string& run_or_file, bool best, const Say& say) {
  std::error_code none;
  HEED_CHECK(fs::exists(run_or_file, none), "load", "there is no run ", run_or_file, "; `build/charlm train --run ",
             run_or_file, "` makes one");
  const Found found = fs::is_directory(run_or_file, none)
                          ? find_in(run_or_file, best, say)
                          : Found{run_or_file, read_checkpoint(run_or_file, CheckpointPart::model)};
  const TrainingState& state = found.state;
  LoadedModel loaded{.settings = settings_from_json(Json::parse(state.settings, found.path), found.path),
                     .step = state.step,
                     .path = found.path,
                     .numbers = state.numbers};
  loaded.model = std::make_unique<Gpt>(model_options(loaded.settings));
  load_model(*loaded.model, state.weights, found.path);
  return loaded;
}

}  // namespace heed
