#include "tasks/image/image_run_load.h"

#include <algorithm>

#include "system/error.h"
#include "system/nearest.h"
#include "tasks/image/image_task.h"
#include "train/checkpoint_files.h"
#include "train/model_tensors.h"
#include "train/run_load.h"

namespace heed {
namespace {

const std::string& string_of(const TrainingState& state, const char* name, const std::string& path) {
  const auto found = state.strings.find(name);
  HEED_CHECK(found != state.strings.end(), "load", path, " has no ", name, "; it is not of a picture model");
  return found->second;
}

std::vector<std::string> names_in(const std::string& text, const std::string& path) {
  std::vector<std::string> names;
  const Json json = Json::parse(text, "the labels of " + path);
  for (const Json& name : json.items()) names.push_back(name.text());
  return names;
}

std::unique_ptr<PictureModel> loaded_model(const LoadedIgpt& of, const std::vector<NamedTensor>& weights) {
  const long colours = of.palette.size(), labels = long(of.labels.size());
  if (of.settings.axial())
    return make_loaded<AxialTransformer>(weights, of.path, axial_options(of.settings, colours, labels));
  return make_loaded<Igpt>(weights, of.path, model_options(of.settings, colours, labels));
}

}  // namespace

long LoadedIgpt::label_of(const std::string& name) const {
  const auto found = std::find(labels.begin(), labels.end(), name);
  if (found == labels.end()) fail_unknown("igpt", "label", name, labels);
  return found - labels.begin();
}

LoadedIgpt load_igpt(const std::string& run_or_file, bool best, const std::function<void(const std::string&)>& say) {
  const FoundCheckpoint found = find_checkpoint(run_or_file, {.best = best, .score = image_score(), .say = say});
  const TrainingState& state = found.state;
  LoadedIgpt loaded{.settings = image_settings_from_json(Json::parse(state.settings, found.path), found.path),
                    .fingerprint = state.data,
                    .step = state.step,
                    .path = found.path,
                    .palette = PixelPalette::from_saved(string_of(state, kPaletteString, found.path), found.path),
                    .labels = names_in(string_of(state, kImageLabelStrings, found.path), found.path)};
  HEED_CHECK(!loaded.settings.conditional || !loaded.labels.empty(), "load", found.path,
             " is damaged: its model is told labels (conditional), and it names none");
  if (loaded.settings.data.empty()) loaded.settings.data = found.data;
  loaded.model = loaded_model(loaded, state.weights);
  loaded.model->move_to(chosen_device());
  return loaded;
}

std::optional<PixelPalette> palette_of_run(const std::string& run) {
  const std::vector<CheckpointFile> files = CheckpointFiles(run).list();
  for (auto file = files.rbegin(); file != files.rend(); ++file) try {
      const TrainingState state = read_checkpoint(file->path, CheckpointPart::strings);
      return PixelPalette::from_saved(string_of(state, kPaletteString, file->path), file->path);
    } catch (const Error&) {  // it is damaged; whoever needs the checkpoint itself says so
    }
  return {};
}

}  // namespace heed
