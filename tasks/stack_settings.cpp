#include "tasks/stack_settings.h"

#include <algorithm>

#include "models/orderings.h"
#include "models/token_input.h"
#include "nn/mixing/registry.h"
#include "system/error.h"
#include "system/text.h"

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

SettingTable stack_size_rows(StackSettings& s) {
  return {{"attention", s.attention,
           "one of " + joined(variant_names(), ", ") +
               ", with options as in window:left=128; layers that differ: local*2;full"},
          {"ordering", s.ordering, kOrderingHelp},
          {"layers", s.layers, 1, 1000, "layers of one s and one f"},
          {"width", s.width, 1, 65536, "channels"},
          {"heads", s.heads, 1, 1024, "attention heads; they divide the width"}};
}

SettingTable stack_memory_rows(StackSettings& s) {
  return {{"dropout", s.dropout, 0, 0.95, "of every branch and of the attention weights"},
          Setting("recompute_blocks", s.recompute_blocks, "compute blocks again in backward: less memory, slower")
              .formerly("checkpoint_blocks"),
          {"reversible", s.reversible, "a reversible stack: memory does not grow with the layers"},
          {"feed_forward_chunks", s.feed_forward_chunks, 1, 65536, "to need less memory"}};
}

SettingTable stack_rows(StackSettings& s, const std::string& token) {
  const SettingTable places = {
      {"context", s.context, 1, 1L << 24, token + "s that the model sees at once"},
      {"positions", s.positions,
       "how the model knows the order of " + token + "s; if nothing is said, learned where rotary cannot be",
       position_names()}};
  return joined_tables({stack_size_rows(s), places, stack_memory_rows(s)});
}

void check_stack_sizes(const StackSettings& s) {
  HEED_CHECK(s.width % s.heads == 0, "settings", "width is ", s.width, " and heads ", s.heads,
             "; the heads must divide the width");
  check_language_ordering("settings", ordering_of(s));
  check_reversible("settings", stack_options(s));
}

void check_stack(const StackSettings& s, const Schedule& schedule) {
  check_stack_sizes(s);
  for (const Phase& phase : schedule.phases())
    HEED_CHECK(phase.context <= s.context, "settings", "a phase of the schedule has context ", phase.context,
               "; the model's is ", s.context, ", which is the longest");
}

std::string ordering_of(const StackSettings& s) { return expanded_ordering(s.ordering, s.layers); }

std::vector<std::string> attention_specs(const StackSettings& s) {
  const std::string ordering = ordering_of(s);
  return layer_specs(s.attention, std::count(ordering.begin(), ordering.end(), 's'));
}

bool takes_rotary(const StackSettings& s) {
  if (s.heads < 1 || s.width % s.heads != 0 || s.width / s.heads % 2 != 0) return false;
  const auto specs = attention_specs(s);
  MixerOptions mixer{.C = 2 * s.heads, .heads = s.heads, .max_length = s.context, .layers = long(specs.size())};
  return std::all_of(specs.begin(), specs.end(), [&](const std::string& spec) {
    const bool rotary = make_mixer(spec, mixer)->can().rotary;
    mixer.layer++;
    return rotary;
  });
}

StackOptions stack_options(const StackSettings& s) {
  return {.C = s.width,
          .heads = s.heads,
          .ordering = ordering_of(s),
          .attention = s.attention,
          .dropout = s.dropout,
          .attention_dropout = s.dropout,
          .max_length = s.context,
          .recompute_blocks = s.recompute_blocks,
          .reversible = s.reversible,
          .feed_forward_chunks = s.feed_forward_chunks};
}

}  // namespace heed
