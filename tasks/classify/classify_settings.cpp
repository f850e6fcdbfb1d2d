#include "tasks/classify/classify_settings.h"

#include "models/token_input.h"
#include "nn/mixing/registry.h"
#include "system/error.h"

namespace heed {
namespace {

// What Mixer::forward would say, before a step is made.
void check_attention(const ClassifySettings& s) {
  for (const std::string& spec : layer_specs(s.attention, s.layers)) {
    const Capabilities can = make_mixer(spec, {.C = s.width, .heads = s.heads, .max_length = s.context})->can();
    HEED_CHECK(can.padding, "settings", "the attention ", spec,
               " would read the padding behind shorter texts, which a classifier must not",
               can.because.empty() ? "" : " (" + can.because + ")", "; choose another, such as full");
    HEED_CHECK(can.rotary || s.positions != "rotary", "settings", "the attention ", spec,
               " takes no rotary positions; choose learned ones");
  }
}

}  // namespace

const std::vector<std::string>& classify_preset_names() {
  static const std::vector<std::string> names = {"tiny", "small"};
  return names;
}

ClassifySettings classify_preset(const std::string& name) {
  ClassifySettings s;
  s.preset = name;
  table_of(s).front().check();
  s.batch = 32;
  s.rate = 1e-3;
  s.weight_decay = 0.01;
  if (name == "tiny") s.layers = 1, s.width = 32, s.context = 128, s.steps = 500;
  return s;
}

SettingTable table_of(ClassifySettings& s) {
  SettingTable table = {
      {"preset", s.preset, "sizes, steps and rate to start from", classify_preset_names()},
      {"data", s.data,
       "a table of labels and texts, NAME.csv or NAME.tsv, or listops: generated, as long as --context"},
      {"attention", s.attention, "one that honours padding, with options as in window:left=64,right=64"},
      {"layers", s.layers, 1, 1000, "layers of attention and feed-forward"},
      {"width", s.width, 1, 65536, "channels"},
      {"heads", s.heads, 1, 1024, "attention heads; they divide the width"},
      {"context", s.context, 1, 1L << 24, "bytes of a text that are read; longer ones are cut"},
      {"positions", s.positions, "how the model knows the order of bytes", position_names()},
      {"pool",
       s.pool,
       "what the class is told from: the mean over all bytes, or the first one's vector",
       {"mean", "cls"}},
      {"dropout", s.dropout, 0, 0.95, "of every branch and of the attention weights"}};
  const SettingTable last = {
      {"valid_samples", s.valid_samples, 1, 1L << 50, "texts of the validation data to look at with every checkpoint"}};
  for (const SettingTable& rows : {training_rows(s), writing_rows(s), last})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

void check_settings(const ClassifySettings& s) {
  ClassifySettings copy = s;
  check_settings(table_of(copy));
  check_training(s);
  HEED_CHECK(s.width % s.heads == 0, "settings", "width is ", s.width, " and heads ", s.heads,
             "; the heads must divide the width");
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases()) {
    HEED_CHECK(phase.context <= s.context, "settings", "a phase of the schedule has context ", phase.context,
               "; the model's is ", s.context, ", which is the longest");
    HEED_CHECK(phase.window == 0, "settings", "a phase of the schedule has a window of ", phase.window,
               "; a classifier reads the whole text. Leave it away, or choose a window attention");
  }
  check_attention(s);
}

ClassifierOptions model_options(const ClassifySettings& s, long labels) {
  return {.V = 256,
          .classes = labels,
          .stack = {.C = s.width,
                    .heads = s.heads,
                    .ordering = repeated("sf", s.layers),
                    .attention = s.attention,
                    .dropout = s.dropout,
                    .attention_dropout = s.dropout,
                    .max_length = s.context},
          .positions = s.positions,
          .pool = s.pool};
}

Json to_json(const ClassifySettings& s) {
  ClassifySettings copy = s;
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
