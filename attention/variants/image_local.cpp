// Local attention of the Image Transformer, in its 1-D form: the sequence is cut into blocks of queries, and all
// queries of a block see the same keys, the block itself and a margin of tokens around it. A block alone (`local`)
// never hears of its neighbours; the margin lets it, and costs less than whole blocks beside it. An image is
// read row by row, its channels one after another, so a margin of several rows lets a pixel see those above it.
//
//   A(i) = { j : s_i - margin <= j < s_i + block + margin },   s_i = block floor(p_i / block)
//
// s_i is the first token of the query's block. Under a causal mask only j <= p_i is left of it: the margin before the
// block is then all that there is (the paper's l_q = block, l_m = margin), and both sides count in an encoder.
//
// Time O(n (block + 2 margin) D), memory O(n D). It pays off for long sequences whose neighbours say most, such as
// pixels: all queries of a block read the same keys, in whole tiles. It loses to `window` where every query should look
// equally far (the first query of a block sees `margin` tokens before it, the last one block - 1 more), and to `full`
// where one jump across the picture is what the task needs: after four layers a token has heard of nothing more than
// 4 (block + margin) away. Decoding keeps the last block + margin keys. With margin >= block a sequence of up to
// 2 block tokens has full attention. (Image Transformer: Parmar et al., 2018.)
#include "attention/multi_head.h"
#include "attention/pattern_core.h"

namespace heed {
namespace {

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "block", .help = "tokens in a block of queries", .standard = "128", .low = 1, .high = 1e6},
      {.name = "margin", .help = "tokens seen before and after it", .standard = "128", .low = 0, .high = 1e6}};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant image_local{
    {.name = "image-local",
     .summary = "a query sees its own block and a margin around it",
     .formula = "o_i over j in s_i - m .. s_i + b + m, s_i the first of i's block: softmax attention",
     .time = {Growth::linear, "(b + m)"},
     .memory = {Growth::linear},
     .source = "Parmar et al., 2018",
     .year = 2018,
     .when = "long sequences whose neighbours say most, such as pixels: all queries of a block read the same keys",
     .when_not = "every query should look equally far, or one jump across the picture is what the task needs",
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       const long margin = options.number("margin");
       PatternOptions pattern{
           .pattern = {.block = options.number("block"), .margin_left = margin, .margin_right = margin},
           .bias = bias_of(options)};
       return multi_head<PatternCore>(mixer, pattern);
     }}};

}  // namespace
}  // namespace heed
