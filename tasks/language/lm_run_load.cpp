#include "tasks/language/lm_run_load.h"

#include "train/model_tensors.h"
#include "train/run_load.h"

namespace heed {

LoadedModel load_run(const std::string& run_or_file, bool best, const std::function<void(const std::string&)>& say) {
  const FoundCheckpoint found = find_checkpoint(run_or_file, {.best = best, .say = say});
  const TrainingState& state = found.state;
  LoadedModel loaded{.settings = settings_from_json(Json::parse(state.settings, found.path), found.path),
                     .step = state.step,
                     .path = found.path};
  if (loaded.settings.data.empty()) loaded.settings.data = found.data;
  loaded.model = std::make_unique<Gpt>(model_options(loaded.settings));
  load_model(*loaded.model, state.weights, found.path);
  return loaded;
}

}  // namespace heed
