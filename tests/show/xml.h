// What the tests of pictures and pages ask of SVG and HTML text.
#pragma once

#include <string>
#include <vector>

// How often a part occurs.
inline long count(const std::string& text, const std::string& part) {
  long n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) n++;
  return n;
}

// What is wrong with a text as XML, as far as a picture can be: tags must balance, & must begin an entity.
inline std::string xml_problem(const std::string& text) {
  std::vector<std::string> open;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const size_t end = text.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || count(tag, "'") % 2) return "<" + tag + ">";
    const std::string word = tag.substr(0, tag.find(' '));
    if (tag.back() == '/') continue;
    if (tag[0] != '/')
      open.push_back(word);
    else if (open.empty() || "/" + open.back() != word)
      return "<" + tag + ">";
    else
      open.pop_back();
  }
  const long entities = count(text, "&lt;") + count(text, "&gt;") + count(text, "&amp;");
  if (count(text, "&") != entities) return "a bare &";
  return open.empty() ? "" : "<" + open.back() + "> is open";
}
