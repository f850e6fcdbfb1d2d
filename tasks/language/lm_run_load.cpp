#include "tasks/language/lm_run_load.h"

#include <optional>

#include "system/error.h"
#include "train/checkpoint_files.h"
#include "train/model_tensors.h"
#include "train/run_load.h"

namespace heed {
namespace {

std::shared_ptr<const Vocabulary> vocabulary_in(const TrainingState& state, const std::string& path) {
  const auto found = state.strings.find(kVocabularyString);
  return vocabulary_from_string(found == state.strings.end() ? "" : found->second, path);
}

std::optional<TrainingState> strings_of(const std::string& path) {
  try {
    return read_checkpoint(path, CheckpointPart::strings);
  } catch (const Error&) {  // it is damaged; whoever needs the checkpoint itself says so
    return {};
  }
}

}  // namespace

LoadedModel load_run(const std::string& run_or_file, bool best, const std::function<void(const std::string&)>& say) {
  const FoundCheckpoint found = find_checkpoint(run_or_file, {.best = best, .say = say});
  const TrainingState& state = found.state;
  LoadedModel loaded{.settings = settings_from_json(Json::parse(state.settings, found.path), found.path),
                     .step = state.step,
                     .path = found.path};
  if (loaded.settings.data.empty()) loaded.settings.data = found.data;
  loaded.vocabulary = vocabulary_in(state, found.path);
  loaded.model = make_loaded<Gpt>(state.weights, found.path, model_options(loaded.settings, loaded.vocabulary->size()));
  loaded.model->move_to(chosen_device());
  return loaded;
}

std::shared_ptr<const Vocabulary> vocabulary_of_run(const std::string& run) {
  const std::vector<CheckpointFile> files = CheckpointFiles(run).list();
  for (auto file = files.rbegin(); file != files.rend(); ++file)
    if (const auto state = strings_of(file->path)) return vocabulary_in(*state, file->path);
  return byte_vocabulary();
}

}  // namespace heed
