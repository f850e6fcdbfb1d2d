#include "show/label_grid.h"

#include <algorithm>

#include "show/picture.h"

namespace heed {
namespace {

constexpr double kText = 9, kGap = 8, kTitle = 26;  // pixels; kTitle: the title's line

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, Picture::text_width(text, kText));
  return width;
}

}  // namespace

GridSize size_of(const LabelGrid& grid) {
  GridSize size{.left = widest(grid.rows) + kGap, .top = kTitle + widest(grid.columns) + kGap};
  const double words = Picture::text_width(grid.title, kText + 1);
  size.width = std::max(words, size.left + grid.cell * double(grid.columns.size()));
  size.height = size.top + grid.cell * double(grid.rows.size());
  return size;
}

void draw_label_grid(Canvas& canvas, Point corner, const LabelGrid& grid) {
  const GridSize size = size_of(grid);
  const double cell = grid.cell, x = corner.x + size.left, y = corner.y + size.top;
  canvas.text({corner.x, corner.y + kText + 2}, grid.title, {.size = kText + 1, .weight = 0.17});
  for (size_t j = 0; j < grid.columns.size(); j++)
    canvas.text({x + cell * (double(j) + 0.5) + kText / 2, y - kGap}, grid.columns[j],
                {.size = kText, .upwards = true});
  for (size_t i = 0; i < grid.rows.size(); i++) {
    const double top = y + cell * double(i);
    canvas.text({x - kGap, top + (cell + kText) / 2 - 1}, grid.rows[i], {.size = kText, .align = Align::right});
    for (size_t j = 0; j < grid.columns.size(); j++)
      canvas.rectangle({x + cell * double(j), top, cell - 2, cell - 2},
                       grid.cells[i][j] ? *grid.cells[i][j] : palette::kHidden);
  }
}

}  // namespace heed
