#include "tasks/language/lm_settings.h"

#include <algorithm>

#include "data/wav.h"
#include "models/orderings.h"
#include "models/token_input.h"
#include "nn/mixing/registry.h"
#include "system/command_line.h"
#include "system/error.h"
#include "system/text.h"
#include "train/optimiser.h"

namespace heed {
namespace {

constexpr const char* kOrderingHelp =
    "sublayers, s: attention, f: feed-forward, such as ssff; or by a name, of --layers: interleaved (sfsf.., the "
    "default), sandwich:k (k s first, k f last), random:seed (shuffled), unbalanced:seed (as many weights, any number "
    "of s)";

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant* variant : variants()) names.push_back(variant->name);
  return names;
}

}  // namespace

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
  SettingTable table = {
      {"preset", s.preset, "sizes, steps and rate to start from", preset_names()},
      {"data", s.data, "what to learn: a file, a folder or a WAV file"},
      {"sample_rate", s.sample_rate, 0, 1L << 32},
      {"attention", s.attention,
       "one of " + joined(variant_names(), ", ") +
           ", with options as in window:left=128; layers that differ: local*2;full"},
      {"ordering", s.ordering, kOrderingHelp},
      {"layers", s.layers, 1, 1000, "layers of one s and one f"},
      {"width", s.width, 1, 65536, "channels"},
      {"heads", s.heads, 1, 1024, "attention heads; they divide the width"},
      {"context", s.context, 1, 1L << 24, "bytes that the model sees at once"},
      {"positions", s.positions,
       "how the model knows the order of bytes; if nothing is said, learned where rotary cannot be", position_names()},
      {"dropout", s.dropout, 0, 0.95, "of every branch and of the attention weights"},
      {"streams", s.streams,
       "read on where the step before ended, and remember it: for an attention that looks back only so far, as window "
       "and local, or adds up what it has read, as linear"},
      Setting("recompute_blocks", s.recompute_blocks, "compute blocks again in backward: less memory, slower")
          .formerly("checkpoint_blocks"),
      {"reversible", s.reversible, "a reversible stack: memory does not grow with the layers"},
      {"feed_forward_chunks", s.feed_forward_chunks, 1, 65536, "to need less memory"}};
  const SettingTable last = {
      {"valid_bytes", s.valid_bytes, 2, 1L << 50, "bytes of the validation data to look at with every checkpoint"},
      {"sample_bytes", s.sample_bytes, 0, 1000000, "bytes to write with every checkpoint; 0: none"}};
  for (const SettingTable& rows : {training_rows(s), writing_rows(s), last})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

void check_settings(const LmSettings& s) {
  LmSettings copy = s;
  check_settings(table_of(copy));
  check_training(s);
  HEED_CHECK(s.width % s.heads == 0, "settings", "width is ", s.width, " and heads ", s.heads,
             "; the heads must divide the width");
  check_language_ordering("settings", ordering_of(s));
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.context <= s.context, "settings", "a phase of the schedule has context ", phase.context,
               "; the model's is ", s.context, ", which is the longest");
}

std::string usual_positions(const LmSettings& s) {
  const std::string added = s.streams ? "sinusoid" : "learned";
  if (s.heads < 1 || s.width % s.heads != 0 || s.width / s.heads % 2 != 0) return added;
  const std::string ordering = ordering_of(s);
  for (const std::string& spec : layer_specs(s.attention, std::count(ordering.begin(), ordering.end(), 's')))
    if (!make_mixer(spec, {.C = 2 * s.heads, .heads = s.heads})->can().rotary) return added;
  return "rotary";
}

std::string ordering_of(const LmSettings& s) { return expanded_ordering(s.ordering, s.layers); }

LmSettings with_letters(LmSettings s) {
  if (!s.ordering.empty()) s.ordering = ordering_of(s);
  return s;
}

GptOptions model_options(const LmSettings& s, long V) {
  return {.V = V,
          .stack = {.C = s.width,
                    .heads = s.heads,
                    .ordering = ordering_of(s),
                    .attention = s.attention,
                    .dropout = s.dropout,
                    .attention_dropout = s.dropout,
                    .max_length = s.context,
                    .recompute_blocks = s.recompute_blocks,
                    .reversible = s.reversible,
                    .feed_forward_chunks = s.feed_forward_chunks},
          .positions = s.positions};
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
