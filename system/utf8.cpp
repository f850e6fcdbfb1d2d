#include "system/utf8.h"

#include <cstdint>

namespace heed {

size_t utf8_size(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? uint8_t(text[k]) : uint8_t(0); };
  const uint8_t first = byte(0), second = byte(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t k = 1; k < size; k++)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool longer = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);    // than it need be
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);  // no character
  return longer || beyond ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace heed
