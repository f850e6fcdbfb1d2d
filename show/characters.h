// Characters: a model may read bytes, or tokens that end within a character; people read characters. These put together
// the tokens of each character of a UTF-8 text, and the attention weights of tokens into weights of characters.
//
//   const Characters all = characters_of({"\xc3", "\xa4", "b"});    // texts "ä", "b"; ends 2, 3
//   const Tensor weights = grouped(of_tokens, all);                 // (H, 3, 3) -> (H, 2, 2)
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

struct Characters {
  std::vector<std::string> texts;  // readable: what is no UTF-8, or a control character, is a dot; new lines stay
  std::vector<long> ends;          // of each, behind its last token
};

// Tokens stay apart as long as each ends where a character ends.
Characters characters_of(const std::vector<std::string>& tokens);

// Weights (H, T, T) of T tokens, f32 or f64. A character looks with its last token, which is the one that knows all of
// it and says what comes next; what is looked at in a character is the sum over its tokens, so rows still sum to 1.
Tensor grouped(const Tensor& weights, const Characters& characters);

}  // namespace heed
