#include "tasks/classify/classify_run_load.h"

#include "system/error.h"
#include "tasks/classify/classify_task.h"
#include "train/model_tensors.h"
#include "train/run_load.h"

namespace heed {

LoadedClassifier load_classifier(const std::string& run_or_file, bool best,
                                 const std::function<void(const std::string&)>& say) {
  const FoundCheckpoint found = find_checkpoint(run_or_file, {.best = best, .score = classify_score(), .say = say});
  const TrainingState& state = found.state;
  LoadedClassifier loaded{.settings = classify_settings_from_json(Json::parse(state.settings, found.path), found.path),
                          .step = state.step,
                          .path = found.path};
  HEED_CHECK(state.strings.contains(kLabelStrings), "load", found.path, " does not name its labels");
  loaded.labels = labels_from_text(state.strings.at(kLabelStrings), found.path);
  if (loaded.settings.data.empty()) loaded.settings.data = found.data;
  loaded.model =
      make_loaded<Classifier>(state.weights, found.path, model_options(loaded.settings, long(loaded.labels.size())));
  loaded.model->move_to(chosen_device());
  return loaded;
}

}  // namespace heed
