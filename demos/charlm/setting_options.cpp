#include "demos/charlm/setting_options.h"

#include <algorithm>

#include "demos/charlm/charlm.h"
#include "system/error.h"

using namespace heed;

namespace {

// What only this program knows.
std::string own_help(const Setting& setting, const std::string& usual_preset) {
  if (setting.name == "preset") return setting.help + " (what is in brackets below is " + usual_preset + "'s)";
  if (setting.name == "data") return setting.help + ", or self: heed's own source and docs";
  if (setting.name == "attention") return setting.help + "; build/attention list tells more";
  return setting.help;
}

// Is the ordering letters? One with a name is made of the layers.
bool says_its_layers(const LmSettings& s) { return !s.ordering.empty() && ordering_of(s) == s.ordering; }

LmSettings usual(const SettingChoice& choice) {
  LmSettings s = choice.preset(choice.usual_preset);
  s.data = "self";
  return s;
}

SettingTable options_of(LmSettings& typed, const std::vector<std::string>& without) {
  SettingTable table = table_of(typed);
  std::erase_if(table, [&](const Setting& setting) {
    return std::find(without.begin(), without.end(), setting.name) != without.end();
  });
  return table;
}

}  // namespace

SettingOptions::SettingOptions(CommandLine& line, const SettingChoice& choice)
    : choice_(choice),
      typed_(usual(choice)),
      options_(line, options_of(typed_, choice.without),
               [&](const Setting& setting) { return own_help(setting, choice.usual_preset); }) {}

LmSettings SettingOptions::settings(const std::string& run, bool resume) const {
  return settings(run, resume ? of_run(RunFolder(run)) : std::nullopt);
}

LmSettings SettingOptions::settings(const std::string& run, const std::optional<LmSettings>& before) const {
  const bool known = before.has_value();
  const LmSettings s = known ? *before : choice_.preset(typed_.preset);
  HEED_CHECK(!known || !given("preset") || s.preset == typed_.preset, "train", run, " began with the preset ", s.preset,
             ", and --preset ", typed_.preset, " was given; leave it away, or choose another folder");
  HEED_CHECK(!known || !s.data.empty() || given("data"), "train", run,
             " has no config.json that can be read, which says what it learns; give the same text with --data");
  return completed(s, before);
}

bool SettingOptions::lengthens(const LmSettings& other) const {
  const bool as_they_are = given("positions") && typed_.positions == other.positions && other.positions != "learned";
  return given("context") && typed_.context > other.context && !as_they_are;
}

LmSettings SettingOptions::of_preset(const std::string& name) const {
  return completed(choice_.preset(name), std::nullopt);
}

LmSettings SettingOptions::completed(LmSettings s, const std::optional<LmSettings>& before) const {
  const bool known = before.has_value();
  if (s.data.empty()) s.data = typed_.data;
  options_.copy_given(table_of(s));
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
  options_.check_schedule(s);
  HEED_CHECK(!given("layers") || !says_its_layers(s), "train", "the ordering '", s.ordering,
             "' says its layers by itself; leave --layers or --ordering away");
}

std::optional<LmSettings> SettingOptions::of_run(const RunFolder& folder) {
  const auto saved = settings_to_resume(folder);
  if (!saved) return std::nullopt;
  return settings_from_json(saved->json, saved->from);
}
