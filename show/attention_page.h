// A page on which the mouse shows what each byte of a text looks at, with a map for every head of every layer.
//
//   const Tensor weights = mixer.weights(x, {}, ctx);  // (B, H, T, T)
//   write_file("look/index.html", attention_page(text, {select(weights, 0, 0)}).html());
#pragma once

#include <string>
#include <vector>

#include "show/page.h"
#include "tensor/tensor.h"

namespace heed {

// The weights of each layer are (H, T, T), f32 or f64, where T is the length of the text in bytes.
Page attention_page(const std::string& text, const std::vector<Tensor>& layers);

// One character for every byte, to stand beside maps: what is neither printable ASCII nor a new line is a dot.
std::string one_character_each(const std::string& text);

}  // namespace heed
