// The poster: all masks on one sheet.
#include <algorithm>
#include <cmath>

#include "demos/attention/atlas.h"
#include "show/picture.h"
#include "system/ceil_div.h"
#include "system/text.h"

using namespace heed;

namespace {

constexpr double kMap = 192, kGap = 32, kMargin = 48, kTop = 132, kUnder = 62, kBottom = 66;  // pixels
constexpr long kColumns = 6;

struct Cell {
  const AtlasEntry* entry;
  const AtlasKind* kind;
};

std::vector<Cell> cells_of(const std::vector<AtlasEntry>& entries) {
  std::vector<Cell> cells;
  for (const AtlasEntry& entry : entries)
    for (const AtlasKind& kind : entry.kinds) cells.push_back({&entry, &kind});
  return cells;
}

// As long as it fits under a map
std::string cut(std::string text, double size) {
  if (Picture::text_width(text, size) <= kMap) return text;
  while (!text.empty() && Picture::text_width(text + "...", size) > kMap) text.pop_back();
  return text + "...";
}

void draw_cell(Canvas& canvas, Point corner, const Cell& cell) {
  const Variant& v = *cell.entry->variant;
  draw_attention_map(canvas, {corner.x, corner.y, kMap, kMap}, cell.kind->map);
  const double y = corner.y + kMap;
  canvas.text({corner.x, y + 20}, v.name, {.size = 10.5, .weight = 0.2});
  canvas.text({corner.x + kMap, y + 20}, std::to_string(v.year), {.size = 8.5, .align = Align::right, .alpha = 0.65});
  const size_t colon = cell.kind->spec.find(':');
  const std::string options = colon == std::string::npos ? "" : cell.kind->spec.substr(colon + 1);
  canvas.text({corner.x, y + 36}, cut(options.empty() ? "time " + v.time.text() : options, 8),
              {.size = 8, .alpha = palette::kSoft});
}

}  // namespace

Point poster_size(const std::vector<AtlasEntry>& entries) {
  const long count = long(cells_of(entries).size()), rows = ceil_div(count, kColumns);
  const double columns = double(std::min(count, kColumns));
  return {2 * kMargin + columns * kMap + (columns - 1) * kGap, kTop + double(rows) * (kMap + kUnder) + kBottom};
}

void draw_poster(Canvas& canvas, const std::vector<AtlasEntry>& entries) {
  const std::vector<Cell> cells = cells_of(entries);
  canvas.text({kMargin, 58}, "Who sees whom", {.size = 23, .weight = 0.17});
  canvas.text({kMargin, 88}, "The attention variants of heed, each on 64 tokens: a row is a query, a column is a key",
              {.size = 10.5, .alpha = palette::kSoft});
  for (size_t k = 0; k < cells.size(); k++)
    draw_cell(
        canvas,
        {kMargin + double(long(k) % kColumns) * (kMap + kGap), kTop + double(long(k) / kColumns) * (kMap + kUnder)},
        cells[k]);
  draw_attention_legend(canvas, {kMargin, poster_size(entries).y - 34}, 12);
}
