#include "demos/charlm/setting_options.h"

#include <algorithm>

#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "train/checkpoint_files.h"

using namespace heed;

namespace {

// What only this program knows.
std::string own_help(const Setting& setting) {
  if (setting.name == "preset") return setting.help + " (what is in brackets below is small's)";
  if (setting.name == "data") return setting.help + ", or self: heed's own source and docs";
  if (setting.name == "attention") return setting.help + "; build/attention list tells more";
  return setting.help;
}

// Is the ordering letters? One with a name is made of the layers.
bool says_its_layers(const LmSettings& s) { return !s.ordering.empty() && ordering_of(s) == s.ordering; }

}  // namespace

std::string option_name(const std::string& setting) {
  if (setting == "rate") return "--lr";
  std::string name = "--" + setting;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

SettingOptions::SettingOptions(CommandLine& line) : line_(line) {
  typed_.data = "self";
  std::erase_if(table_, [](const Setting& setting) { return setting.help.empty(); });
  for (Setting& setting : table_) {
    setting.help = own_help(setting);
    setting.add_option(line, option_name(setting.name));
  }
}

bool SettingOptions::given(const std::string& setting) const { return line_.given(option_name(setting)); }

LmSettings SettingOptions::settings(const std::string& run, bool resume) const {
  const auto before = resume ? of_run(RunFolder(run)) : std::nullopt;
  const bool known = before.has_value();
  LmSettings s = known ? *before : preset(typed_.preset);
  HEED_CHECK(!known || !given("preset") || s.preset == typed_.preset, "train", run, " began with the preset ", s.preset,
             ", and --preset ", typed_.preset, " was given; leave it away, or choose another folder");
  HEED_CHECK(!known || !s.data.empty() || given("data"), "train", run,
             " has lost its config.json, which says what it learns; give the same text with --data");
  if (s.data.empty()) s.data = typed_.data;
  for (const Setting& to : table_of(s))
    for (const Setting& from : table_)
      if (from.name == to.name && given(from.name)) to.copy(from);
  check_contradictions(s);
  const bool other_letters = given("ordering") && says_its_layers(s) && !(known && s.ordering == before->ordering);
  if (other_letters) s.layers = std::max(1L, long(std::count(s.ordering.begin(), s.ordering.end(), 's')));
  s = with_letters(s);
  if (!known && !given("positions")) s.positions = usual_positions(s);
  if (!known && s.optimiser != "adamw" && !given("weight_decay")) s.weight_decay = 0;
  return s;
}

// What is typed and would do nothing, because something else that is said decides.
void SettingOptions::check_contradictions(const LmSettings& s) const {
  const long own = schedule_of(s).steps();
  HEED_CHECK(!given("steps") || own == s.steps, "train", "the schedule '", s.schedule, "' says its steps by itself (",
             own, "); leave --steps away, or the steps in the schedule");
  for (const char* name : {"rate", "floor"})
    HEED_CHECK(!given(name) || s.schedule.find(std::string(name) + "=") == std::string::npos, "train", "the schedule '",
               s.schedule, "' says its ", name, " by itself; leave ", option_name(name), " away, or the ", name,
               " in the schedule");
  HEED_CHECK(!given("layers") || !says_its_layers(s), "train", "the ordering '", s.ordering,
             "' says its layers by itself; leave --layers or --ordering away");
}

// What the run has: in its config, or if that is gone in its newest checkpoint; nothing if there is no run.
std::optional<LmSettings> SettingOptions::of_run(const RunFolder& folder) {
  if (folder.exists()) return settings_from_json(folder.config(), folder.file("config.json"));
  const auto list = CheckpointFiles(folder.path()).list();
  if (list.empty()) return std::nullopt;
  const std::string& path = list.back().path;
  return settings_from_json(Json::parse(read_checkpoint_summary(path).settings, path), path);
}
