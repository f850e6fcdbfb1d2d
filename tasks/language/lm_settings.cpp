#include "tasks/language/lm_settings.h"

#include <algorithm>

#include "system/error.h"
#include "system/nearest.h"
#include "train/optimiser.h"

namespace heed {
namespace {

// Calls f(name, member) for every setting: reading, writing and comparing all walk this one list.
template <class Settings, class F> void for_settings(Settings& s, F&& f) {
  f("preset", s.preset), f("data", s.data), f("sample_rate", s.sample_rate);
  f("attention", s.attention), f("ordering", s.ordering), f("layers", s.layers), f("width", s.width);
  f("heads", s.heads), f("context", s.context), f("positions", s.positions), f("dropout", s.dropout);
  f("batch", s.batch), f("micro_batch", s.micro_batch), f("steps", s.steps), f("rate", s.rate);
  f("schedule", s.schedule), f("optimiser", s.optimiser), f("weight_decay", s.weight_decay), f("clip", s.clip);
  f("dtype", s.dtype), f("recompute_blocks", s.recompute_blocks), f("reversible", s.reversible);
  f("feed_forward_chunks", s.feed_forward_chunks), f("seed", s.seed);
  f("checkpoint_every", s.checkpoint_every), f("keep", s.keep), f("valid_bytes", s.valid_bytes);
  f("sample_bytes", s.sample_bytes);
}

void read(const Json& json, std::string& value) { value = json.text(); }
void read(const Json& json, long& value) { value = json.integer(); }
void read(const Json& json, double& value) { value = json.number(); }
void read(const Json& json, bool& value) { value = json.truth(); }

void check_choice(const char* what, const std::string& given, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) == known.end()) fail_unknown("settings", what, given, known);
}

void check_range(const char* name, auto value, auto low, auto high) {
  HEED_CHECK(value >= low && value <= high, "settings", name, " is ", value, "; it must be from ", low, " to ", high);
}

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = {"tiny", "small", "base"};
  return names;
}

LmSettings preset(const std::string& name) {
  check_choice("preset", name, preset_names());
  LmSettings s;
  s.preset = name;
  if (name == "tiny") s.layers = 2, s.width = 128, s.heads = 4, s.context = 128, s.batch = 16, s.rate = 4e-3;
  if (name == "small") s.layers = 4, s.width = 256, s.heads = 4, s.context = 512, s.batch = 8, s.rate = 2e-3;
  if (name == "base") s.layers = 12, s.width = 512, s.heads = 8, s.context = 512, s.batch = 16, s.rate = 6e-4;
  s.steps = name == "base" ? 20000 : 2000;
  return s;
}

void check_settings(const LmSettings& s) {
  check_choice("dtype", s.dtype, {"f32", "bf16"});
  check_choice("optimiser", s.optimiser, optimiser_names());
  check_range("layers", s.layers, 1, 1000), check_range("width", s.width, 1, 65536);
  check_range("heads", s.heads, 1, 1024), check_range("context", s.context, 1, 1L << 24);
  check_range("batch", s.batch, 1, 65536), check_range("micro_batch", s.micro_batch, 0, s.batch);
  check_range("steps", s.steps, 1, 1000000000), check_range("feed_forward_chunks", s.feed_forward_chunks, 1, 65536);
  check_range("dropout", s.dropout, 0, 0.95), check_range("weight_decay", s.weight_decay, 0, 10);
  check_range("clip", s.clip, 0, 1e9), check_range("seed", s.seed, 0, 4294967295);
  check_range("checkpoint_every", s.checkpoint_every, 0, 1L << 40), check_range("keep", s.keep, 1, 1000000);
  check_range("valid_bytes", s.valid_bytes, 2, 1L << 50), check_range("sample_bytes", s.sample_bytes, 0, 1000000);
  HEED_CHECK(s.width % s.heads == 0, "settings", "width is ", s.width, " and heads ", s.heads,
             "; the heads must divide the width");
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.context <= s.context, "settings", "a phase of the schedule has context ", phase.context,
               "; the model's is ", s.context, ", which is the longest");
}

std::string usual_positions(const LmSettings& s) {
  if (s.heads < 1 || s.width % s.heads != 0 || s.width / s.heads % 2 != 0) return "learned";
  return make_mixer(s.attention, {.C = 2, .heads = 1})->can().rotary ? "rotary" : "learned";  // the smallest tells
}

std::string ordering_of(const LmSettings& s) { return s.ordering.empty() ? repeated("sf", s.layers) : s.ordering; }

GptOptions model_options(const LmSettings& s) {
  return {.V = 256,
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

Schedule schedule_of(const LmSettings& s) {
  Phase defaults{.steps = s.steps, .rate = s.rate, .floor = 0.1};
  const Schedule cold(s.schedule, defaults);
  if (cold.phases().size() > 1) return cold;
  defaults.warmup = std::min({100L, s.steps / 10, cold.steps() / 10});
  return Schedule(s.schedule, defaults);
}

long micro_batch_of(const LmSettings& s) { return s.micro_batch ? s.micro_batch : s.batch; }

Json to_json(const LmSettings& s) {
  Json json = Json::object();
  for_settings(s, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

LmSettings settings_from_json(const Json& json, const std::string& from) {
  LmSettings s;
  for_settings(s, [&](const char* name, auto& value) {
    const Json* found = json.find(name);
    HEED_CHECK(found, "settings", from, " does not say '", name, "'; it is not of a language model of this version");
    try {
      read(*found, value);
    } catch (const Error& error) {
      fail("settings", from, " has ", name, " ", found->dump(), " (", error.what(), ")");
    }
  });
  try {
    check_settings(s);
  } catch (const Error& error) {
    fail("settings", from, " has settings that cannot be (", error.what(), ")");
  }
  return s;
}

std::vector<std::string> differences(const LmSettings& before, const LmSettings& now) {
  const Json a = to_json(before), b = to_json(now);
  std::vector<std::string> list;
  for (const auto& [name, value] : a.members())
    if (!(value == b.at(name))) list.push_back(name + " " + value.dump() + " -> " + b.at(name).dump());
  return list;
}

}  // namespace heed
