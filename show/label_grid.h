// LabelGrid: a table of squares with a word at each row and column: who sees whom, by names. (attention_picture.h draws
// larger maps, with numbers.)
//
//   LabelGrid grid{.rows = {"x4"}, .columns = {"x1", "M4"}, .cells = {{&palette::kSeen, nullptr}}};
//   draw_label_grid(picture, {20, 20}, grid);
#pragma once

#include <string>
#include <vector>

#include "show/canvas.h"

namespace heed {

struct LabelGrid {
  std::string title = {};
  std::vector<std::string> rows = {}, columns = {};    // their words; those of columns read upwards
  std::vector<std::vector<const Colour*>> cells = {};  // (rows, columns); null: not seen
  double cell = 22;                                    // pixels along a side
};

struct GridSize {
  double left = 0, top = 0;  // of the first square, from the corner
  double width = 0, height = 0;
};
GridSize size_of(const LabelGrid& grid);

void draw_label_grid(Canvas& canvas, Point corner, const LabelGrid& grid);

}  // namespace heed
