// ImageSettings: all that decides what a run of a picture model computes, and what it writes. They stand in
// RUN/config.json and in every checkpoint.
//
//   ImageSettings s = image_preset("small");
//   s.size = 28;
#pragma once

#include <string>
#include <vector>

#include "data/images/image_data.h"
#include "models/axial_transformer.h"
#include "models/igpt.h"
#include "tasks/stack_settings.h"
#include "train/train_settings.h"

namespace heed {

struct ImageSettings : TrainSettings, StackSettings {  // its context is the picture, and no setting
  ImageSettings();

  std::string preset = "small";
  std::string data = {};  // as the user gave it (data/images/image_data.h)

  // the pictures
  long size = 14;
  std::string colour = "auto";  // grey, colour; auto: as they are
  long colours = 16;            // of the palette, at most

  // the model
  std::string model = "igpt";      // or axial: models/axial_transformer.h
  std::string objective = "next";  // every pixel from those before it; or masked: hidden ones from all others (BERT)
  double hidden = 0.15;            // the share of pixels that masked hides
  bool conditional = false;        // is the model told the label of each picture?
  std::string order = "raster";    // models/pixel_order.h

  // what is written on the way; it changes no weight
  long valid_pictures = 1000;  // from the start of the validation data are looked at with every checkpoint
  long samples = 40;           // pictures that are drawn with every checkpoint

  bool axial() const { return model == "axial"; }
  bool masked() const { return objective == "masked"; }
  long pixels() const { return size * size; }
};

SettingTable table_of(ImageSettings& s);  // every setting once; it refers to the members of `s`

ImageSettings image_preset(const std::string& name);  // tiny, small or base; throws for another
const std::vector<std::string>& image_preset_names();

// Throws a sentence for whatever cannot be: heads that do not divide the width, an attention that cannot be causal, a
// phase with another context, ...
void check_settings(const ImageSettings& s);
ImageOptions image_options(const ImageSettings& s);
// colours: that the palette has; labels: that the data has
IgptOptions model_options(const ImageSettings& s, long colours, long labels);
AxialTransformerOptions axial_options(const ImageSettings& s, long colours, long labels);

Json to_json(const ImageSettings& s);
// What an older file lacks has its default; `from` is the file, for the errors.
ImageSettings image_settings_from_json(const Json& json, const std::string& from);

}  // namespace heed
