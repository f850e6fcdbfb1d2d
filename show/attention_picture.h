// Pictures of attention: which pairs of query and key a mixer connects, and how strongly.
//
//   const Tensor weights = mixer->weights(x, {}, ctx);  // (B, H, T, S)
//   draw_attention(select(weights, 0, 0), {.title = "window:left=8"}).write_png("runs/attention/window.png");
#pragma once

#include <string>

#include "show/picture.h"
#include "tensor/tensor.h"

namespace heed {

struct AttentionLook {
  std::string title, subtitle = {}, footnote = {};
  bool strength = false;  // colours tell how large a weight is; otherwise only which pairs are visible
};

// Weights (H, T, S), f32 or f64: a pair whose weight is 0 is not visible. One square per pair: a row is a query, a
// column is a key. Each head has a map of its own, unless all would look the same.
Picture draw_attention(const Tensor& weights, const AttentionLook& look);

}  // namespace heed
