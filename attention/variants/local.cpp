// Local attention: the sequence is cut into blocks, and a query sees its own block; with neighbours also some blocks
// before and after it.
//
//   A(i) = { j : b_i - back <= b_j <= b_i + forward },   b_i = floor(p_i / block)
//
// Time O(n block D), memory O(n D). Without neighbours nothing ever crosses the edge of a block, in any layer: it is a
// baseline, or a building block of others. Decoding keeps the blocks that are still in sight. (Long Range Arena: Tay et
// al., 2020.)
#include "attention/multi_head.h"
#include "attention/pattern_core.h"

namespace heed {
namespace {

std::vector<VariantOption> options(bool neighbours) {
  std::vector<VariantOption> list = {
      {.name = "block", .help = "tokens in a block", .standard = "64", .low = 1, .high = 1e6}};
  if (neighbours) {
    list.push_back({.name = "back", .help = "blocks seen before the own", .standard = "1", .low = 0, .high = 1e6});
    list.push_back({.name = "forward", .help = "blocks seen after it", .standard = "1", .low = 0, .high = 1e6});
  }
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

Variant variant(const char* name, const char* summary, bool neighbours) {
  return {
      .name = name,
      .summary = summary,
      .formula = neighbours ? "o_i over j in the blocks b_i - back .. b_i + forward: softmax attention"
                            : "o_i over j in the block of i: softmax attention",
      .time = {Growth::linear, "b"},
      .memory = {Growth::linear},
      .source = "Tay et al., 2020",
      .year = 2020,
      .when = neighbours ? "whole tiles of near keys are enough" : "as a baseline, or beside layers that look farther",
      .when_not = neighbours ? "queries at the edge of a block need as much context as those inside"
                             : "anything must cross the edge of a block: nothing ever does",
      .options = [=] { return options(neighbours); },
      .make =
          [=](const VariantOptions& options, const MixerOptions& mixer) {
            PatternOptions pattern{.pattern = {.block = options.number("block"),
                                               .blocks_back = neighbours ? options.number("back") : 0,
                                               .blocks_forward = neighbours ? options.number("forward") : 0},
                                   .bias = bias_of(options)};
            return multi_head<PatternCore>(mixer, pattern);
          }};
}

const RegisteredVariant local{variant("local", "a query sees its own block", false)};
const RegisteredVariant with_neighbours{
    variant("local-neighbours", "a query sees its own block and some beside it", true)};

}  // namespace
}  // namespace heed
