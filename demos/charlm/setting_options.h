// The options of `charlm train` that are settings (tasks/language/lm_settings.h): one for every row of their table.
// What the user types wins over the preset, or, in a run that is resumed, over what the run has.
#pragma once

#include <optional>
#include <string>

#include "system/command_line.h"
#include "tasks/language/lm_settings.h"
#include "train/typed_settings.h"

class SettingOptions {
 public:
  explicit SettingOptions(heed::CommandLine& line);

  heed::LmSettings settings(const std::string& run, bool resume) const;  // after parsing

 private:
  bool given(const std::string& setting) const { return options_.given(setting); }
  void check_contradictions(const heed::LmSettings& s) const;
  static std::optional<heed::LmSettings> of_run(const heed::RunFolder& folder);

  heed::LmSettings typed_ = heed::preset("small");
  heed::TypedSettings options_;
};
