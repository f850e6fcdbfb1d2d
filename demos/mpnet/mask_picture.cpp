// The three objectives on a text as squares: content and query stream side by side, a row of maps for each.
#include <algorithm>
#include <cmath>

#include "demos/mpnet/mpnet.h"
#include "show/label_grid.h"
#include "show/svg.h"

using namespace heed;

namespace {

using Kind = Column::Kind;

constexpr double kMargin = 28, kBetween = 36, kHead = 34, kLegend = 40;  // pixels

const Colour& colour_of(Kind kind) {
  return kind == Kind::copy ? palette::kElsewhere : kind == Kind::visible ? palette::kSeen : palette::kOwn;
}

std::string label_of(const Column& column, const MaskExample& example) {
  const std::string place = std::to_string(column.position + 1);
  if (column.kind == Kind::copy) return "[M] " + place;
  if (column.kind == Kind::query) return "? " + place;
  return example.words[size_t(column.position)] + " " + place;
}

LabelGrid grid_of(const Columns& columns, const MaskExample& example, bool queries) {
  LabelGrid grid{.title = queries ? "query stream" : "content stream"};
  for (const Column& key : columns.all)
    if (key.kind != Kind::query) grid.columns.push_back(label_of(key, example));
  for (const Column& row : columns.all) {
    if ((row.kind == Kind::query) != queries) continue;
    grid.rows.push_back(label_of(row, example));
    grid.cells.emplace_back();
    for (long j = 0; j < long(grid.columns.size()); j++)
      grid.cells.back().push_back(j >= row.first && j <= row.last ? &colour_of(columns.all[size_t(j)].kind) : nullptr);
  }
  return grid;
}

const char* meaning(const std::string& name) {
  return name == "mlm"   ? "mlm (BERT): knows every place, and no predicted token"
         : name == "plm" ? "plm (XLNet): knows the tokens predicted before, and no place that is still to come"
                         : "mpnet: knows both, and sees each place exactly once";
}

// Where everything is, and how large it becomes; drawn if there is a canvas.
Point draw(Canvas* canvas, const MaskExample& example) {
  Point end{kMargin, kMargin};
  double widest = 0;
  for (const std::string& name : masking_names()) {
    const Columns columns = columns_of(masking_of(name), example.order);
    if (canvas) canvas->text({kMargin, end.y + 12}, meaning(name), {.size = 11, .weight = 0.17});
    widest = std::max(widest, Picture::text_width(meaning(name), 11));
    end.y += kHead;
    double x = kMargin, height = 0;
    for (const bool queries : {false, true}) {
      const LabelGrid grid = grid_of(columns, example, queries);
      if (grid.rows.empty()) continue;
      if (canvas) draw_label_grid(*canvas, {x, end.y}, grid);
      const GridSize size = size_of(grid);
      x += size.width + kBetween, height = std::max(height, size.height);
    }
    widest = std::max(widest, x - kMargin - kBetween);
    end.y += height + kBetween;
  }
  return {2 * kMargin + widest, end.y + kLegend};
}

void draw_legend(Canvas& canvas, double y) {
  double x = kMargin;
  for (const auto& [kind, text] : {std::pair{Kind::visible, "not predicted (U)"},
                                   {Kind::token, "predicted (T)"},
                                   {Kind::copy, "[M] at its place (K)"}}) {
    canvas.rectangle({x, y, 12, 12}, colour_of(kind));
    canvas.text({x + 18, y + 10}, text, {.size = 9});
    x += 18 + Picture::text_width(text, 9) + 22;
  }
  canvas.text({x, y + 10}, "a row sees its columns", {.size = 9, .alpha = palette::kSoft});
}

void draw_all(Canvas& canvas, const MaskExample& example, Point size) {
  draw(&canvas, example);
  draw_legend(canvas, size.y - kLegend);
}

}  // namespace

Picture mask_picture(const MaskExample& example) {
  const Point size = draw(nullptr, example);
  Picture picture(std::lround(size.x), std::lround(size.y));
  draw_all(picture, example, size);
  return picture;
}

std::string mask_svg(const MaskExample& example) {
  const Point size = draw(nullptr, example);
  Svg svg(std::round(size.x), std::round(size.y));
  draw_all(svg, example, size);
  return svg.str();
}
