// UTF-8: which bytes are characters. Names of files and texts to learn may be any bytes; JSON and pages may not.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

// Bytes of the character that the text begins with, 1 to 4; 0 if it begins with none: a byte that cannot begin one, one
// that is cut off, a form that is longer than it need be, a surrogate. Of an empty text 0.
size_t utf8_size(std::string_view text);

bool is_utf8(std::string_view text);  // all of it

}  // namespace heed
