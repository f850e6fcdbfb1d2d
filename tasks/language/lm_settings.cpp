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
  const std::string variants = joined(variant_names(), ", "), shapes = joined(Schedule::shapes(), ", ");
  return {
      {"preset", s.preset, "sizes, steps and rate to start from", preset_names()},
      {"data", s.data, "what to learn: a file, a folder or a WAV file"},
      {"sample_rate", s.sample_rate, 0, 1L << 32},
      {"attention", s.attention,
       "one of " + variants + ", with options as in window:left=128; layers that differ: local*2;full"},
      {"ordering", s.ordering, kOrderingHelp},
      {"layers", s.layers, 1, 1000, "layers of one s and one f"},
      {"width", s.width, 1, 65536, "channels"},
      {"heads", s.heads, 1, 1024, "attention heads; they divide the width"},
      {"context", s.context, 1, 1L << 24, "bytes that the model sees at once"},
      {"positions", s.positions,
       "how the model knows the order of bytes; if nothing is said, learned where rotary cannot be", position_names()},
      {"dropout", s.dropout, 0, 0.95, "of every branch and of the attention weights"},
      {"batch", s.batch, 1, 65536, "windows of text in a step"},
      {"micro_batch", s.micro_batch, 0, 65536, "windows at a time, to need less memory; 0: all"},
      {"steps", s.steps, 1, 1000000000, "training steps"},
      {"rate", s.rate, 1e-9, 10, "the highest learning rate"},
      {"floor", s.floor, 0, 1, "the part of it that is left at the last step of a cosine or linear schedule"},
      {"schedule", s.schedule,
       "one of " + shapes + ", with :warmup=N,floor=X; or phases, such as steps=1000,context=128,warmup=100;" +
           "cosine:steps=500,context=256 (constant and without warm-up if nothing is said)"},
      {"optimiser", s.optimiser, "the rule by which weights follow gradients", optimiser_names()},
      {"beta2", s.beta2, 0, 0.999999, "how much of the squared gradients adamw and adam remember"},
      {"weight_decay", s.weight_decay, 0, 10, "of matrices; if nothing is said, 0 for other optimisers than adamw"},
      {"clip", s.clip, 0, 1e9, "the largest norm of the gradients; 0: any"},
      {"dtype", s.dtype, "of products; bf16 rounds their numbers", {"f32", "bf16"}},
      Setting("recompute_blocks", s.recompute_blocks, "compute blocks again in backward: less memory, slower")
          .formerly("checkpoint_blocks"),
      {"reversible", s.reversible, "a reversible stack: memory does not grow with the layers"},
      {"feed_forward_chunks", s.feed_forward_chunks, 1, 65536, "to need less memory"},
      {"seed", s.seed, 0, kMaxSeed, "another seed, other weights and another order of the data"},
      {"checkpoint_every", s.checkpoint_every, 0, 1L << 40, "steps; 0: a tenth of the run, at most 1000"},
      {"keep", s.keep, 1, 1000000, "checkpoints to keep, besides the best"},
      {"valid_bytes", s.valid_bytes, 2, 1L << 50, "bytes of the validation data to look at with every checkpoint"},
      {"sample_bytes", s.sample_bytes, 0, 1000000, "bytes to write with every checkpoint; 0: none"},
  };
}

void check_settings(const LmSettings& s) {
  LmSettings copy = s;
  check_settings(table_of(copy));
  HEED_CHECK(s.micro_batch <= s.batch, "settings", "micro_batch is ", s.micro_batch, "; it must be from 0 to ",
             s.batch);
  HEED_CHECK(s.width % s.heads == 0, "settings", "width is ", s.width, " and heads ", s.heads,
             "; the heads must divide the width");
  check_language_ordering("settings", ordering_of(s));
  const Schedule schedule = schedule_of(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.context <= s.context, "settings", "a phase of the schedule has context ", phase.context,
               "; the model's is ", s.context, ", which is the longest");
}

std::string usual_positions(const LmSettings& s) {
  if (s.heads < 1 || s.width % s.heads != 0 || s.width / s.heads % 2 != 0) return "learned";
  const std::string ordering = ordering_of(s);
  for (const std::string& spec : layer_specs(s.attention, std::count(ordering.begin(), ordering.end(), 's')))
    if (!make_mixer(spec, {.C = 2 * s.heads, .heads = s.heads})->can().rotary) return "learned";
  return "rotary";
}

std::string ordering_of(const LmSettings& s) { return expanded_ordering(s.ordering, s.layers); }

LmSettings with_letters(LmSettings s) {
  if (!s.ordering.empty()) s.ordering = ordering_of(s);
  return s;
}

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
  Phase defaults{.steps = s.steps, .rate = s.rate, .floor = s.floor};
  const Schedule cold(s.schedule, defaults);
  if (cold.phases().size() > 1) return cold;
  defaults.warmup = std::min({100L, s.steps / 10, cold.steps() / 10});
  return Schedule(s.schedule, defaults);
}

std::string usual_prompt(const LmSettings& s) { return std::string(1, s.sample_rate ? kSilence : '\n'); }

long micro_batch_of(const LmSettings& s) { return s.micro_batch ? s.micro_batch : s.batch; }

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

std::vector<std::string> differences(const LmSettings& before, const LmSettings& now) {
  LmSettings a = with_letters(before), b = with_letters(now);
  return differences(table_of(a), table_of(b));
}

}  // namespace heed
