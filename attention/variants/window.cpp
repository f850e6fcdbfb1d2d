// Sliding window: a query sees the keys at most `left` steps before and `right` steps after it. A step is `dilation`
// positions: with 2 it looks at every second one, and twice as far. The first `global` tokens see all and are seen by
// all.
//
//   A(i) = { j : -left <= (j - p_i) / dilation <= right, a whole number,   or p_i < global,   or j < global }
//
// Time O(n (w + g) D), memory O(n D), with any dilation (seeing/residues.h). After l layers a token has heard of tokens
// l w away: deep stacks of small windows read long texts. It pays off as soon as n is several times w; it loses where
// one jump across the text is what the task needs. A global token is such a jump: everything that it hears all others
// hear one layer later. Under a causal mask it sees only what is before it. Decoding keeps the last left * dilation
// keys, with global tokens all of them.
// (Longformer's local attention, with the same projections for global tokens: Beltagy et al., 2020.)
#include "attention/multi_head.h"
#include "attention/pattern_core.h"

namespace heed {
namespace {

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "left", .help = "keys before the query; -1: all", .standard = "128", .low = -1, .high = 1e6},
      {.name = "right", .help = "keys after it; -1: all", .standard = "128", .low = -1, .high = 1e6},
      {.name = "dilation", .help = "positions per step", .standard = "1", .low = 1, .high = 1e6},
      {.name = "global", .help = "first tokens that see all and are seen", .standard = "0", .low = 0, .high = 1e6}};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant window{{.name = "window",
                                .summary = "a query sees a window of keys around it",
                                .formula = "o_i over j with |j - i| <= w: softmax attention in a band",
                                .time = {Growth::linear, "w"},
                                .memory = {Growth::linear},
                                .source = "Beltagy et al., 2020",
                                .year = 2020,
                                .when = "n is several times w and most of what matters is near",
                                .when_not = "one jump across the text is what the task needs",
                                .shown = {"window", "window:dilation=4", "window:global=1"},
                                .options = options,
                                .make = [](const VariantOptions& options, const MixerOptions& mixer) {
                                  PatternOptions pattern{.pattern = {.window_left = options.number("left"),
                                                                     .window_right = options.number("right"),
                                                                     .dilation = options.number("dilation")},
                                                         .globals = options.number("global"),
                                                         .bias = bias_of(options)};
                                  return multi_head<PatternCore>(mixer, pattern);
                                }}};

}  // namespace
}  // namespace heed
