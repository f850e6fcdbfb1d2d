#include "tasks/classify/classify_settings.h"

#include <algorithm>

#include "nn/mixing/registry.h"
#include "system/error.h"

namespace heed {
namespace {

// What Mixer::forward would say, before a step is made.
void check_attention(const ClassifySettings& s) {
  for (const std::string& spec : attention_specs(s)) {
    const Capabilities can = make_mixer(spec, {.C = s.width, .heads = s.heads, .max_length = s.context})->can();
    HEED_CHECK(can.padding, "settings", "the attention ", spec,
               " would read the padding behind shorter texts, which a classifier must not",
               can.because.empty() ? "" : " (" + can.because + ")", "; choose another, such as full");
    HEED_CHECK(can.rotary || s.positions != "rotary", "settings", "the attention ", spec,
               " takes no rotary positions; choose learned ones");
  }
}

}  // namespace

ClassifySettings::ClassifySettings() {
  layers = 2, width = 64, heads = 2, context = 512;
  positions = "learned";
}

const std::vector<std::string>& classify_preset_names() {
  static const std::vector<std::string> names = {"tiny", "small", "base"};
  return names;
}

ClassifySettings classify_preset(const std::string& name) {
  ClassifySettings s;
  s.preset = name;
  table_of(s).front().check();
  s.batch = 32;
  s.rate = 1e-3;
  s.weight_decay = 0.01;
  if (name == "small") s.steps = 4000;
  if (name == "tiny") s.layers = 1, s.width = 32, s.context = 128, s.steps = 500;
  if (name == "base") s.layers = 6, s.width = 256, s.heads = 4, s.context = 2048, s.steps = 10000, s.rate = 5e-4;
  return s;
}

SettingTable table_of(ClassifySettings& s) {
  const SettingTable first = {
      {"preset", s.preset, "sizes, steps and rate to start from", classify_preset_names()},
      {"data", s.data,
       "a table of labels and texts, NAME.csv or NAME.tsv, or listops: generated, as long as --context"}};
  const SettingTable pool = {{"pool",
                              s.pool,
                              "what the class is told from: the mean over all bytes, or the first one's vector",
                              {"mean", "cls"}}};
  const SettingTable last = {
      {"valid_samples", s.valid_samples, 1, 1L << 50, "texts of the validation data to look at with every checkpoint"}};
  return joined_tables({first, stack_rows(s, "byte"), pool, training_rows(s), writing_rows(s), last});
}

void check_settings(const ClassifySettings& s) {
  ClassifySettings copy = s;
  check_settings(table_of(copy));
  check_training(s);
  const Schedule schedule = schedule_of(s);
  check_stack(s, schedule);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.window == 0, "settings", "a phase of the schedule has a window of ", phase.window,
               "; a classifier reads the whole text. Leave it away, or choose a window attention");
  check_attention(s);
}

ClassifierOptions model_options(const ClassifySettings& s, long labels) {
  return {.V = 256, .classes = labels, .stack = stack_options(s), .positions = s.positions, .pool = s.pool};
}

Json to_json(const ClassifySettings& s) {
  ClassifySettings copy = s;
  if (!s.ordering.empty()) copy.ordering = ordering_of(s);
  return to_json(table_of(copy));
}

ClassifySettings classify_settings_from_json(const Json& json, const std::string& from) {
  HEED_CHECK(json.find("preset") && json.find("pool"), "settings", from,
             " does not say 'preset' and 'pool'; it is not of a classifier of this version");
  ClassifySettings s;
  read_settings(table_of(s), json, from);
  try {
    check_settings(s);
  } catch (const Error& error) {
    fail("settings", from, " has settings that cannot be (", error.what(), ")");
  }
  return s;
}

}  // namespace heed
