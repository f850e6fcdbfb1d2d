// Attention maps: who sees whom as a small square, for cards and posters. A row is a query, a column is a key.
//
//   draw_attention_map(svg, {20, 20, 192, 192}, {.both = weights, .causal = causal_weights});
//
// Blue is what a query sees also under a causal mask, pale blue what it sees only if it may look ahead, mauve what
// another head or layer sees in its place, and orange its own place. (show/attention_picture.h draws larger ones, with
// numbers, a map for each head.)
#pragma once

#include "show/canvas.h"
#include "tensor/tensor.h"

namespace heed {

// Weights (H, T, S), f32 or f64, of all heads, and of layers that differ; a pair whose weight is 0 is not visible.
struct AttentionMap {
  Tensor both = {}, causal = {};  // without a mask, and under a causal one; either may be undefined
  bool strength = false;          // how large the weights of the first head are, by the row's largest
};

// The box is best a whole number of times as large as the map.
void draw_attention_map(Canvas& canvas, const Box& box, const AttentionMap& map);

// What the colours mean
struct AttentionColour {
  Colour colour;
  std::string meaning;
};
std::vector<AttentionColour> attention_colours();
// The same, from this point on to the right: a square of `size` pixels and some words each.
void draw_attention_legend(Canvas& canvas, Point at, double size);

}  // namespace heed
