// The picture model of a run as its newest checkpoint has it (or its best; or a file of one), with its palette and the
// names of its labels.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/images/pixel_palette.h"
#include "models/picture_model.h"
#include "tasks/image/image_settings.h"

namespace heed {

struct LoadedIgpt {
  ImageSettings settings = {};   // their data is empty if the file of a checkpoint has left its run
  std::string fingerprint = {};  // of the pictures it has learned (ImageData::fingerprint)
  long step = 0;
  std::string path = {};  // of the checkpoint
  PixelPalette palette;
  std::vector<std::string> labels = {};
  std::unique_ptr<PictureModel> model = {};

  long label_of(const std::string& name) const;  // its number; throws a sentence that lists those there are
};

LoadedIgpt load_igpt(const std::string& run_or_file, bool best = false,
                     const std::function<void(const std::string&)>& say = {});  // as find_checkpoint

// The palette alone, of the newest checkpoint that can be read; nothing if there is none.
std::optional<PixelPalette> palette_of_run(const std::string& run);

}  // namespace heed
