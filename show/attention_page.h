// A page on which the mouse shows what each token of a text looks at, with a map for every head of every layer.
//
//   const Tensor weights = mixer.weights(x, {}, ctx);  // (B, H, T, T)
//   write_file("look/index.html", attention_page({"The", " fox"}, "token", {select(weights, 0, 0)}).html());
#pragma once

#include <string>
#include <vector>

#include "show/page.h"
#include "tensor/tensor.h"

namespace heed {

// The bytes of T tokens, and what one of them is called: "byte", "token". The weights of each layer are (H, T, T), f32
// or f64. The bytes of a UTF-8 character stand together as one (characters.h).
Page attention_page(const std::vector<std::string>& tokens, const std::string& of_tokens,
                    const std::vector<Tensor>& layers);

// One ASCII character for every character, for pictures: what is neither printable ASCII nor a new line is a dot.
std::string one_character_each(const std::string& text);

}  // namespace heed
