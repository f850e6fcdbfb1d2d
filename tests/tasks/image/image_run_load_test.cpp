// The picture model of a checkpoint: what it brings along, and checkpoints that cannot be.
#include "tasks/image/image_run_load.h"

#include "tasks/image/image_sampler.h"
#include "tests/models/small_model.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/tasks/image/tiny_image.h"
#include "train/checkpoint_state.h"
#include "train/model_tensors.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(image_run_load_test)

namespace {

TrainingState state_of(ImageTask& task) {
  return {.step = 3,
          .settings = task.settings().dump(),
          .data = task.fingerprint(),
          .strings = task.strings(),
          .weights = model_tensors(task.model())};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_checkpoint_says_what_it_has_learned) {
  const Folder folder;
  const ImageSettings s = tiny_image();
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  write_safetensors(folder / "a.safetensors", to_safetensors(state_of(task)));
  const LoadedIgpt loaded = load_igpt(folder / "a.safetensors");
  BOOST_TEST(loaded.fingerprint == tiny_pictures().fingerprint);
  BOOST_TEST(loaded.step == 3);
  BOOST_TEST(loaded.labels == tiny_pictures().labels);
}

BOOST_AUTO_TEST_CASE(an_axial_model_is_one_again) {
  const Folder folder;
  ImageSettings s = tiny_image();
  s.model = "axial";
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  shake(task.model());
  write_safetensors(folder / "a.safetensors", to_safetensors(state_of(task)));
  const LoadedIgpt loaded = load_igpt(folder / "a.safetensors");
  BOOST_TEST(dynamic_cast<AxialTransformer*>(loaded.model.get()) != nullptr);
  BOOST_TEST((drawn_ids(*loaded.model, {.count = 1})[0] == drawn_ids(task.model(), {.count = 1})[0]));
}

// Before there were several, every model was an igpt.
BOOST_AUTO_TEST_CASE(a_checkpoint_that_names_no_model_is_an_igpt) {
  const Folder folder;
  const ImageSettings s = tiny_image();
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  TrainingState state = state_of(task);
  const std::string named = "\"model\":\"igpt\",";
  const size_t at = state.settings.find(named);
  BOOST_REQUIRE(at != std::string::npos);
  state.settings.erase(at, named.size());
  write_safetensors(folder / "a.safetensors", to_safetensors(state));
  const LoadedIgpt loaded = load_igpt(folder / "a.safetensors");
  BOOST_TEST(loaded.settings.model == "igpt");
  BOOST_TEST(dynamic_cast<Igpt*>(loaded.model.get()) != nullptr);
}

// Whoever draws one label after the other would divide by their number.
BOOST_AUTO_TEST_CASE(a_conditional_model_without_labels_is_refused) {
  const Folder folder;
  ImageSettings s = tiny_image();
  s.conditional = true;
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  TrainingState state = state_of(task);
  state.strings[kImageLabelStrings] = "[]";
  write_safetensors(folder / "a.safetensors", to_safetensors(state));
  BOOST_TEST(error_of([&] { load_igpt(folder / "a.safetensors"); }) ==
             "load: " + (folder / "a.safetensors") +
                 " is damaged: its model is told labels (conditional), and it names none");
}

BOOST_AUTO_TEST_SUITE_END()
