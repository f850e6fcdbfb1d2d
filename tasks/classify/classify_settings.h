// ClassifySettings: all that decides what a run of a classifier computes, and what it writes. They stand in
// RUN/config.json and in every checkpoint.
//
//   ClassifySettings s = classify_preset("small");
//   s.attention = "window:left=64,right=64";
#pragma once

#include <string>
#include <vector>

#include "models/classifier.h"
#include "tasks/stack_settings.h"
#include "train/train_settings.h"

namespace heed {

struct ClassifySettings : TrainSettings, StackSettings {
  ClassifySettings();

  std::string preset = "small";
  std::string data = {};  // as the user gave it: a table of texts, or listops

  std::string pool = "mean";  // models/encoder.h

  // what is written on the way; it changes no weight
  long valid_samples = 1000;  // from the start of the validation data are looked at with every checkpoint
};

SettingTable table_of(ClassifySettings& s);  // every setting once; it refers to the members of `s`

ClassifySettings classify_preset(const std::string& name);  // tiny, small or base; throws for another
const std::vector<std::string>& classify_preset_names();

// Throws a sentence for whatever cannot be: heads that do not divide the width, an attention that would read padding, a
// phase with a window or a longer context, ...
void check_settings(const ClassifySettings& s);
ClassifierOptions model_options(const ClassifySettings& s, long labels);  // on bytes

Json to_json(const ClassifySettings& s);
// What an older file lacks has its default; `from` is the file, for the errors.
ClassifySettings classify_settings_from_json(const Json& json, const std::string& from);

}  // namespace heed
