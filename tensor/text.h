// Text for reports and pictures: printf into a string, and strings as they stand in XML and JSON.
#pragma once

#include <cstdio>
#include <string>

namespace heed {

// As printf; what is longer than 511 characters is cut.
template <class... Parts> std::string format(const char* pattern, const Parts&... parts) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, parts...);
  return text;
}

std::string xml_text(const std::string& text);   // & < > as entities; control characters are not allowed: blanks
std::string json_text(const std::string& text);  // with quotes around it; control characters become blanks

}  // namespace heed
