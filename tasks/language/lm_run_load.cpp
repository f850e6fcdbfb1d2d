#include "tasks/language/lm_run_load.h"

#include <filesystem>

#include "train/checkpoint_files.h"
#include "train/model_tensors.h"
#include "train/run_folder.h"

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
  if (!state) throw NoRun("load: there is no checkpoint in " + files.folder(), run);
  return {files.path(state->step), std::move(*state)};
}

// Where the data lies only the run's config says, RUN/config.json of RUN/checkpoints/step-000120.safetensors.
std::string data_of(const std::string& checkpoint) {
  try {
    const RunFolder run(fs::absolute(checkpoint).parent_path().parent_path().string());
    return run.exists() ? run.config().at("data").text() : "";
  } catch (const Error&) {  // it is damaged; a model that writes needs no data
    return "";
  }
}

}  // namespace

LoadedModel load_run(const std::string& run_or_file, bool best, const Say& say) {
  std::error_code none;
  if (!fs::exists(run_or_file, none)) throw NoRun("load: there is no run " + run_or_file, run_or_file);
  const Found found = fs::is_directory(run_or_file, none)
                          ? find_in(run_or_file, best, say)
                          : Found{run_or_file, read_checkpoint(run_or_file, CheckpointPart::model)};
  const TrainingState& state = found.state;
  LoadedModel loaded{.settings = settings_from_json(Json::parse(state.settings, found.path), found.path),
                     .step = state.step,
                     .path = found.path};
  if (loaded.settings.data.empty()) loaded.settings.data = data_of(found.path);
  loaded.model = std::make_unique<Gpt>(model_options(loaded.settings));
  load_model(*loaded.model, state.weights, found.path);
  return loaded;
}

}  // namespace heed
