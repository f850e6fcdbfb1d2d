#include "tensor/text.h"

namespace heed {
namespace {

char printable(char c) { return static_cast<unsigned char>(c) < ' ' ? ' ' : c; }

}  // namespace

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
