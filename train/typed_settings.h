// TypedSettings: the options of a command line that are settings (settings.h), one for every row of a table that has a
// help. What the user types wins over a preset, or, in a run that is resumed, over what the run has.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "train/run_folder.h"
#include "train/settings.h"
#include "train/train_settings.h"

namespace heed {

// How programs call a setting or an option of the library: "micro_batch" is --micro-batch, "rate" is --lr.
std::string option_name(const std::string& setting);

class TypedSettings {
 public:
  using Help = std::function<std::string(const Setting&)>;  // what only the program knows; by default the setting's own

  // The table's values are the defaults, and where what is typed goes.
  TypedSettings(CommandLine& line, const SettingTable& table, const Help& help = {});

  // After parsing:
  bool given(const std::string& setting) const;       // no if it is none of the table's
  void copy_given(const SettingTable& to) const;      // what was typed
  void check_schedule(const TrainSettings& s) const;  // throws for what was typed and the schedule says by itself

 private:
  CommandLine& line_;
  SettingTable table_;
};

// What a run has: in its config, or if that is gone or damaged in its newest checkpoint that can be read; nothing if
// there is no run.
struct SavedSettings {
  Json json;
  std::string from;  // the file
};
std::optional<SavedSettings> saved_settings(const RunFolder& folder);
// The same for a run that is to go on: throws NoRun if there is none. Nothing if it was killed before it wrote them.
std::optional<SavedSettings> settings_to_resume(const RunFolder& folder);

}  // namespace heed
