// The index of the atlas: a card for every kind of every variant, which buttons filter, and one table of all.
#include "demos/attention/atlas.h"
#include "demos/attention/attention.h"
#include "system/quantities.h"
#include "system/text.h"

using namespace heed;

namespace {

constexpr std::pair<bool Capabilities::*, const char*> kTags[] = {
    {&Capabilities::causal, "causal"},         {&Capabilities::decode, "decodes"},
    {&Capabilities::bounded, "bounded state"}, {&Capabilities::cross, "cross-attention"},
    {&Capabilities::pairs, "any mask"},        {&Capabilities::length_free, "length-free"},
    {&Capabilities::rotary, "rotary"},         {&Capabilities::exact, "exact"},
    {&Capabilities::random, "random"}};

std::vector<std::string> tags_of(const Variant& variant, const Capabilities& can) {
  std::vector<std::string> tags;
  for (const auto& [has, tag] : kTags)
    if (can.*has) tags.push_back(tag);
  if (variant.time.growth == Growth::linear) tags.push_back("linear time");
  return tags;
}

std::vector<Page::Card> cards_of(const std::vector<AtlasEntry>& entries) {
  std::vector<Page::Card> cards;
  for (const AtlasEntry& entry : entries)
    for (const AtlasKind& kind : entry.kinds) {
      const Variant& v = *entry.variant;
      const size_t colon = kind.spec.find(':');
      cards.push_back({.title = v.name,
                       .detail = colon == std::string::npos ? "" : kind.spec.substr(colon + 1),
                       .note = v.summary + "; " + std::to_string(v.year) + ", " + v.time.text(),
                       .link = entry.file(),
                       .svg = kind_svg(kind, 192),
                       .tags = tags_of(v, capabilities(kind.spec))});
    }
  return cards;
}

const Json* cell_at(const Json& row, double n) {
  for (const Json& cell : row.at("cells").items())
    if (cell.at("n").number() == n) return &cell;
  return nullptr;
}

void add_table(Page& page, const std::vector<AtlasEntry>& entries) {
  Page::Rows rows;
  for (const AtlasEntry& entry : entries)
    for (const Json& row : entry.bench) {
      std::vector<std::string> line = {row.at("spec").text()};
      for (const double n : {1024., 4096., 16384.}) {
        const Json* cell = cell_at(row, n);
        line.push_back(cell ? time_text(cell->at("both_seconds").number()) : "-");
      }
      const Json* last = cell_at(row, 16384);
      line.push_back(last ? megabytes(last->at("peak_bytes").number()) : "-");
      line.push_back(row.at("spec").text() == "full" ? "" : faster_text(row));
      rows.push_back(line);
    }
  if (rows.empty()) return;
  page.section("Measured: forward and backward, one sample, 2 heads of 64 channels");
  page.table(rows, {"", "1K tokens", "4K", "16K", "memory at 16K", "faster than full"});
}

}  // namespace

Page index_page(const std::vector<AtlasEntry>& entries) {
  Page page("Who sees whom",
            "An atlas of attention: every variant of heed, with its mask, its cost as measured, what it "
            "can and what it refuses.");
  page.cards(cards_of(entries));
  add_legend(page);
  page.paragraph(
      "Each map has 64 tokens: a row is a query, a column is a key. Where a variant looks at all pairs, its "
      "weights are drawn in place of a mask.");
  add_table(page, entries);
  page.section("Poster");
  page.link("poster.svg", "all masks on one sheet, as SVG");
  page.link("poster.png", "the same as PNG");
  return page;
}
