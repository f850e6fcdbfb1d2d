// The source of a variant, for its page: the lecture at its beginning, and the code.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "demos/attention/atlas.h"
#include "system/text.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The comment that the file begins with, without its slashes; paragraphs end at empty lines.
std::vector<std::string> lecture_of(const std::vector<std::string>& lines) {
  std::vector<std::string> paragraphs = {""};
  for (const std::string& line : lines) {
    if (!line.starts_with("//")) break;
    const std::string text = line.size() > 3 ? line.substr(3) : "";
    if (text.empty() && !paragraphs.back().empty()) paragraphs.push_back("");
    if (!text.empty()) paragraphs.back() += (paragraphs.back().empty() ? "" : "\n") + text;
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

// From the first line behind the includes on, without the frame of namespaces.
std::string code_of(const std::vector<std::string>& lines) {
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    const bool frame =
        line.starts_with("#include") || line.starts_with("namespace") || line.starts_with("}  // namespace");
    const bool lecture = kept.empty() && line.starts_with("//");
    if (!frame && !lecture && !(kept.empty() && line.empty())) kept.push_back(line);
  }
  while (!kept.empty() && kept.back().empty()) kept.pop_back();
  return joined(kept, "\n");
}

}  // namespace

VariantSource source_of(const std::string& variant, const std::string& folder) {
  if (!fs::is_directory(folder)) return {};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const std::string quoted = '"' + variant + '"';
  for (const fs::path& path : files) {
    const std::vector<std::string> lines = lines_of(path);
    const std::string text = joined(lines, "\n");
    const size_t from = text.find("const RegisteredVariant");  // before it are options, which have names, too
    if (from == std::string::npos) continue;
    if (text.find(".name = " + quoted, from) == std::string::npos &&
        text.find("variant(" + quoted, from) == std::string::npos)
      continue;
    return {.path = path.string(), .lecture = lecture_of(lines), .code = code_of(lines)};
  }
  return {};
}
