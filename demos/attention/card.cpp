// The page of one variant.
#include <algorithm>

#include "demos/attention/atlas.h"
#include "demos/attention/attention.h"
#include "show/svg.h"
#include "system/text.h"

using namespace heed;

namespace {

constexpr double kSide = 256, kCaption = 34;

std::string picture_of(const AtlasKind& kind) {
  Svg svg(kSide, kSide + kCaption);
  draw_attention_map(svg, {0, 0, kSide, kSide}, kind.map);
  svg.text({0, kSide + 20}, kind.drawn, {.size = 8.5, .alpha = palette::kSoft, .monospaced = true});
  return svg.str();
}

void add_pictures(Page& page, const AtlasEntry& entry) {
  page.side_by_side([&] {
    for (const AtlasKind& kind : entry.kinds) page.svg(picture_of(kind));
  });
  const bool weights =
      std::all_of(entry.kinds.begin(), entry.kinds.end(), [](auto& kind) { return kind.map.strength; });
  page.paragraph(weights ? "Weights of random parameters on 64 random tokens: a row is a query, a column is a key. The "
                           "stronger the colour, the larger the weight."
                         : "64 tokens, drawn at 1:16: a row is a query, a column is a key.");
  if (!weights) add_legend(page);
}

// Paragraphs of the lecture run on; formulas keep their lines.
void add_lecture(Page& page, const VariantSource& source) {
  for (const std::string& paragraph : source.lecture) {
    const std::vector<std::string> lines = split(paragraph, '\n');
    const bool formula =
        std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return line[0] == ' '; });
    formula ? page.pre(paragraph) : page.paragraph(joined(lines, " "));
  }
}

void add_capabilities(Page& page, const Capabilities& can) {
  Page::Rows rows;
  for (const Capability& each : all_capabilities()) {
    std::string name = each.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (!each.need || can.*each.has) rows.push_back({name, can.*each.has ? "yes" : "-", each.says});
  }
  page.table(rows);
  const std::string refused = refusals(can), noted = remarks(can);
  if (!refused.empty()) page.paragraph("It refuses, with a sentence: " + refused + ".");
  if (!noted.empty()) page.paragraph("Note: " + noted + ".");
}

std::string claim(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

long held(const Json& properties, bool checks) {
  long count = 0;
  for (const auto& [name, cell] : properties.members())
    if (const Json* passed = cell.find("passed"); passed && passed->truth())
      count += checks ? cell.at("checks").integer() : 1;
  return count;
}

long applying(const Json& properties) {
  long count = 0;
  for (const auto& [name, cell] : properties.members()) count += cell.find("passed") != nullptr;
  return count;
}

void add_suite(Page& page, const AtlasEntry& entry) {
  if (entry.suite.is_null()) {
    page.paragraph("The property suite has not run here: `make test T='suite/*'` does it.");
    return;
  }
  const Json& properties = entry.suite.at("properties");
  page.paragraph(std::to_string(held(properties, false)) + " of " + std::to_string(applying(properties)) +
                 " properties that apply hold, in " + std::to_string(held(properties, true)) + " checks.");
  Page::Rows rows;
  for (const auto& [name, cell] : properties.members()) {
    const Json* passed = cell.find("passed");
    rows.push_back({claim(name), !passed           ? "not promised: " + cell.at("does_not_apply").text()
                                 : passed->truth() ? "holds, " + std::to_string(cell.at("checks").integer()) + " checks"
                                                   : "FAILED"});
  }
  page.fold("All of them", false, [&] { page.table(rows); });
}

void add_errors(Page& page, const AtlasEntry& entry) {
  const Json* errors = entry.suite.find("public_errors");
  if (!errors || errors->items().empty()) return;
  page.section("Errors of public code that the suite would have found");
  Page::Rows rows;
  for (const Json& each : errors->items())
    rows.push_back({each.at("where").text(), each.at("what").text(), claim(each.at("found_by").text())});
  page.table(rows, {"where", "what it does, or did when we read it", "the property that fails"});
}

Page::Figure suite_figure(const AtlasEntry& entry) {
  if (entry.suite.is_null()) return {"-", "properties"};
  const Json& properties = entry.suite.at("properties");
  return {std::to_string(held(properties, false)) + " of " + std::to_string(applying(properties)), "properties hold"};
}

}  // namespace

Page card_page(const AtlasEntry& entry) {
  const Variant& v = *entry.variant;
  const VariantSource source = source_of(v.name);
  Page page(v.name, v.summary);
  page.link("index.html", "all variants");
  page.figures({{std::to_string(v.year), v.source.substr(0, v.source.rfind(','))},
                {v.time.text(), "time"},
                {v.memory.text(), "memory"},
                suite_figure(entry)});
  add_pictures(page, entry);
  page.section("Formula");
  page.pre(v.formula);
  page.section("When");
  page.table({{"it pays off", v.when}, {"it loses", v.when_not}});
  page.section("Measured");
  add_measurements(page, entry);
  page.section("What it can");
  add_capabilities(page, entry.can);
  page.section("Tested");
  add_suite(page, entry);
  add_errors(page, entry);
  if (!source.path.empty()) {
    page.section("The variant itself, " + source.path);
    add_lecture(page, source);
    page.fold("The code", false, [&] { page.pre(source.code); });
  }
  return page;
}
