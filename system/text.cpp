#include "system/text.h"

#include <algorithm>
#include <cstdint>

namespace heed {
namespace {

char printable(char c) { return static_cast<unsigned char>(c) < ' ' ? ' ' : c; }

}  // namespace

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (size_t i = 0; i < words.size(); i++) text += (i ? between : "") + words[i];
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

std::string wrapped(const std::string& line, size_t width, size_t indent) {
  std::string text, rest = line;
  while (rest.size() > width) {
    const size_t begin = rest.find_first_not_of(' ');  // its indent stays with the first word
    size_t at = rest.rfind(' ', width);
    if (at == std::string::npos || at < begin) at = rest.find(' ', begin);
    const size_t next = at == std::string::npos ? at : rest.find_first_not_of(' ', at);
    if (next == std::string::npos) break;
    text += rest.substr(0, rest.find_last_not_of(' ', at) + 1) + "\n";
    rest = std::string(std::min(indent, width / 2), ' ') + rest.substr(next);
  }
  return text + rest;
}

namespace {

// Bytes that a character has which begins with this one; 0: none does.
size_t utf8_size(uint8_t first) {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// May the second byte follow the first? Not if the character were longer than it need be, or beyond those there are.
bool utf8_pair(uint8_t first, uint8_t second) {
  const bool longer = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return !longer && !beyond;
}

// Are the bytes behind the first, as far as there are some, those of a character?
bool utf8_fits(std::string_view text, size_t size) {
  for (size_t k = 1; k < std::min(size, text.size()); k++)
    if ((uint8_t(text[k]) & 0xc0) != 0x80) return false;
  return text.size() < 2 || size < 2 || utf8_pair(uint8_t(text[0]), uint8_t(text[1]));
}

bool is_control(char c) { return uint8_t(c) < 0x20 && c != '\n' && c != '\t'; }

}  // namespace

size_t utf8_character(std::string_view text) {
  const size_t size = text.empty() ? 0 : utf8_size(uint8_t(text[0]));
  return size <= text.size() && utf8_fits(text, size) ? size : 0;
}

bool utf8_may_go_on(std::string_view text) {
  const size_t size = text.empty() ? 0 : utf8_size(uint8_t(text[0]));
  return size > text.size() && utf8_fits(text, size);
}

std::string readable(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size();) {
    const size_t size = is_control(bytes[i]) ? 0 : utf8_character(bytes.substr(i));
    text += size ? bytes.substr(i, size) : "\u00b7";
    i += size ? size : 1;
  }
  return text;
}

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += printable(c);
  }
  return out;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += printable(c);
  }
  return out + "\"";
}

}  // namespace heed
