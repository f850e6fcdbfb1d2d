// UTF-8: are bytes text? Names of files and texts to learn may be any bytes; JSON and pages may not.
#pragma once

#include <string_view>

namespace heed {

bool is_utf8(std::string_view text);  // all of it; utf8_character in text.h tells of one character

}  // namespace heed
