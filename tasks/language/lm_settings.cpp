#include "tasks/language/lm_settings.h"

#include "data/wav.h"
#include "system/error.h"

namespace heed {

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = {"tiny", "small", "base"};
  return names;
}

LmSettings preset(const std::string& name) {
  LmSettings s;
  s.preset = name;
  table_of(s).front().check();
  struct Sizes {
    long layers, width, heads, context, batch;
    double rate;
    long steps;
  };
  const Sizes sizes = name == "tiny"    ? Sizes{2, 128, 4, 128, 16, 4e-3, 2000}
                      : name == "small" ? Sizes{4, 256, 4, 512, 8, 2e-3, 2000}
                                        : Sizes{12, 512, 8, 512, 16, 6e-4, 20000};
  s.layers = sizes.layers;
  s.width = sizes.width;
  s.heads = sizes.heads;
  s.context = sizes.context;
  s.batch = sizes.batch;
  s.rate = sizes.rate;
  s.steps = sizes.steps;
  return s;
}

SettingTable table_of(LmSettings& s) {
  const SettingTable first = {{"preset", s.preset, "sizes, steps and rate to start from", preset_names()},
                              {"data", s.data, "what to learn: a file, a folder or a WAV file"},
                              {"sample_rate", s.sample_rate, 0, 1L << 32}};
  const SettingTable streams = {
      {"streams", s.streams,
       "read on where the step before ended, and remember it: for an attention that looks back only so far, as window "
       "and local, or adds up what it has read, as linear"}};
  const SettingTable last = {
      {"valid_bytes", s.valid_bytes, 2, 1L << 50, "bytes of the validation data to look at with every checkpoint"},
      {"sample_bytes", s.sample_bytes, 0, 1000000, "bytes to write with every checkpoint; 0: none"}};
  return joined_tables({first, stack_rows(s, "byte"), streams, training_rows(s), writing_rows(s), last});
}

void check_settings(const LmSettings& s) {
  LmSettings copy = s;
  check_settings(table_of(copy));
  check_training(s);
  check_stack(s, schedule_of(s));
}

std::string usual_positions(const LmSettings& s) {
  return takes_rotary(s) ? "rotary" : s.streams ? "sinusoid" : "learned";
}

LmSettings with_letters(LmSettings s) {
  if (!s.ordering.empty()) s.ordering = ordering_of(s);
  return s;
}

GptOptions model_options(const LmSettings& s, long V) {
  return {.V = V, .stack = stack_options(s), .positions = s.positions};
}

std::string usual_prompt(const LmSettings& s) { return std::string(1, s.sample_rate ? kSilence : '\n'); }

Json to_json(const LmSettings& s) {
  LmSettings copy = with_letters(s);
  return to_json(table_of(copy));
}

LmSettings settings_from_json(const Json& json, const std::string& from) {
  HEED_CHECK(json.find("preset"), "settings", from,
             " does not say 'preset'; it is not of a language model of this version");
  LmSettings s;
  read_settings(table_of(s), json, from);
  try {
    check_settings(s);
  } catch (const Error& error) {
    fail("settings", from, " has settings that cannot be (", error.what(), ")");
  }
  return s;
}

}  // namespace heed
