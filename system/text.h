// Text for reports and pictures: printf into a string, numbers from and to text, UTF-8, strings as they stand in XML
// and JSON.
#pragma once

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// As printf; what is longer than 511 characters is cut.
template <class... Parts> std::string format(const char* pattern, const Parts&... parts) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, parts...);
  return text;
}

// The whole text as a number; nothing if it is not one. Whatever the locale, 1.5 is written with a point.
template <class Number> std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// The fewest digits that are read back as the same number.
template <class Number> std::string shortest_text(Number value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string joined(const std::vector<std::string>& words, const std::string& between);
std::vector<std::string> split(const std::string& text, char separator);  // "a,,b" is a, nothing, b; "" is one nothing

// Lines of at most `width` characters, broken at blanks; those behind the first begin with `indent` blanks. A word that
// is longer stands alone.
std::string wrapped(const std::string& line, size_t width, size_t indent = 2);

// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none.
size_t utf8_character(std::string_view text);
bool utf8_may_go_on(std::string_view text);  // is it the beginning of a character, cut off?
// The text as people can read it: a byte that is no UTF-8, and a control character but new lines and tabs, is a dot.
std::string readable(std::string_view bytes);

std::string xml_text(const std::string& text);   // & < > as entities; control characters are not allowed: blanks
std::string json_text(const std::string& text);  // with quotes around it; control characters become blanks

}  // namespace heed
