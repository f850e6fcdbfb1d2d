#include "system/utf8.h"

#include "system/text.h"

namespace heed {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = utf8_character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace heed
