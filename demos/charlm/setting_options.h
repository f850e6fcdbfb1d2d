// The options of `charlm train` and `charlm orderings` that are settings (tasks/language/lm_settings.h): one for every
// row of their table. What the user types wins over the preset, or, in a run that is resumed, over what the run has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "system/command_line.h"
#include "tasks/language/lm_settings.h"
#include "train/typed_settings.h"

// What a command may have of its own.
struct SettingChoice {
  std::string usual_preset = "small";
  std::function<heed::LmSettings(const std::string& name)> preset = heed::preset;
  std::vector<std::string> without = {};  // settings that are no options
};

class SettingOptions {
 public:
  explicit SettingOptions(heed::CommandLine& line, const SettingChoice& choice = {});

  // After parsing: on top of a new run's preset, whichever is typed.
  heed::LmSettings of_preset(const std::string& name) const;
  bool names_preset() const { return given("preset"); }
  // Is a context typed that is longer than that of `other`, a run whose weights are taken, and nothing that says to
  // leave its positions as they are?
  bool lengthens(const heed::LmSettings& other) const;
  bool types_context() const { return given("context"); }
  long context() const { return typed_.context; }
  // On top of what the run has if it is resumed, or of `before` if there is one.
  heed::LmSettings settings(const std::string& run, bool resume) const;
  heed::LmSettings settings(const std::string& run, const std::optional<heed::LmSettings>& before) const;

 private:
  heed::LmSettings completed(heed::LmSettings s, const std::optional<heed::LmSettings>& before) const;
  bool given(const std::string& setting) const { return options_.given(setting); }
  void check_contradictions(const heed::LmSettings& s) const;
  static std::optional<heed::LmSettings> of_run(const heed::RunFolder& folder);

  SettingChoice choice_;
  heed::LmSettings typed_;
  heed::TypedSettings options_;
};
