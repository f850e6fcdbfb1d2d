#include "tasks/language/lm_run_load.h"

#include <filesystem>

#include "train/find_checkpoint.h"
#include "train/model_tensors.h"
#include "train/run_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

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
  const FoundCheckpoint found = find_checkpoint(run_or_file, {.best = best, .say = say});
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
