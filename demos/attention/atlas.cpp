// `attention atlas`: writes the index, a page for each variant, and the poster.
#include "demos/attention/atlas.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "demos/attention/attention.h"
#include "show/picture.h"
#include "show/svg.h"
#include "system/command_line.h"
#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"
#include "system/write_file.h"

using namespace heed;

namespace {

struct Options {
  std::string out = "runs/atlas", suite = "build/suite.json", bench = "runs/bench/variants.json", poster;
};

// null if there is no such file
Json json_in(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const FileBytes file("atlas", path);
  return Json::parse({reinterpret_cast<const char*>(file.data()), size_t(file.size())}, path);
}

// Full attention first, then by age.
std::vector<const Variant*> in_order() {
  std::vector<const Variant*> list = variants();
  const auto key = [](const Variant* v) { return std::tuple(v->name != "full", v->year, v->name); };
  std::sort(list.begin(), list.end(), [&](auto* a, auto* b) { return key(a) < key(b); });
  return list;
}

std::vector<AtlasEntry> entries_of(const Options& options) {
  const Json suite = json_in(options.suite), bench = json_in(options.bench);
  std::vector<AtlasEntry> entries;
  for (const Variant* variant : in_order()) {
    const Capabilities can = capabilities(shown_specs(*variant).front());
    AtlasEntry entry{.variant = variant, .can = can, .kinds = kinds_of(*variant)};
    if (const Json* found = suite.find(variant->name)) entry.suite = *found;
    if (const Json* rows = bench.find("results"))
      for (const Json& row : rows->items())
        if (row.at("variant").text() == variant->name) entry.bench.push_back(row);
    entries.push_back(entry);
  }
  return entries;
}

// What is missing is said, with the command that makes it.
void tell_missing(const std::vector<AtlasEntry>& entries, const Options& options) {
  std::vector<std::string> untested, unmeasured;
  for (const AtlasEntry& entry : entries) {
    if (entry.suite.is_null()) untested.push_back(entry.variant->name);
    if (entry.bench.empty()) unmeasured.push_back(entry.variant->name);
  }
  if (!untested.empty())
    std::printf("not in %s: %s; `make test T='suite/*'` tests them\n", options.suite.c_str(),
                joined(untested, ", ").c_str());
  if (!unmeasured.empty())
    std::printf("not in %s: %s; `rm %s && make atlas` measures all\n", options.bench.c_str(),
                joined(unmeasured, ", ").c_str(), options.bench.c_str());
}

void write_poster(const std::vector<AtlasEntry>& entries, const std::string& svg_path, const std::string& png_path) {
  const Point size = poster_size(entries);
  Svg svg(size.x, size.y);
  draw_poster(svg, entries);
  write_file(svg_path, svg.str());
  if (png_path.empty()) return;
  Picture picture(std::lround(size.x), std::lround(size.y));
  draw_poster(picture, entries);
  picture.write_png(png_path);
}

}  // namespace

int atlas_command(int argc, char** argv) {
  Options options;
  CommandLine line("attention atlas", "Writes a page for every variant, an index and a poster.");
  line.option("--out", options.out, "the folder to write");
  line.option("--suite", options.suite, "what the property suite found");
  line.option("--bench", options.bench, "what `build/bench variants --json` measured");
  line.option("--poster", options.poster, "write the poster alone, as this SVG file");
  if (!line.parse(argc, argv)) return line.exit_code();
  const std::vector<AtlasEntry> entries = entries_of(options);
  if (!options.poster.empty()) {
    write_poster(entries, options.poster, "");
    std::printf("the poster is %s\n", options.poster.c_str());
    return 0;
  }
  for (const AtlasEntry& entry : entries) write_file(options.out + "/" + entry.file(), card_page(entry).html());
  write_poster(entries, options.out + "/poster.svg", options.out + "/poster.png");
  write_file(options.out + "/index.html", index_page(entries).html());
  tell_missing(entries, options);
  std::printf("%zu variants; the atlas is %s/index.html, the poster %s/poster.png\n", entries.size(),
              options.out.c_str(), options.out.c_str());
  return 0;
}
