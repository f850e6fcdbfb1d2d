// Where the boxes and lines of a small graph go (Sugiyama's method): every line leads to a later layer, a line across
// several layers passes them at waypoints, and layers are sorted so that few lines cross. It knows nothing of ops.
//
// `along` runs in the direction of the lines, `across` inside of a layer: the caller chooses which of them is x.
#pragma once

#include <vector>

namespace heed {

struct LayoutPoint {
  double along = 0, across = 0;
};

struct LayoutBox {
  double along = 0, across = 0;  // its size; all boxes of a layer get the largest `along` of them
  LayoutPoint corner = {};       // the answer: the smallest coordinates
};

struct LayoutLine {
  int from = 0, to = 0;                  // indices of boxes
  std::vector<LayoutPoint> points = {};  // the answer: leaves from's box, (enters a layer, leaves it)*, enters to's box
};

struct Layout {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutLine> lines;
  double along = 0, across = 0;  // the size of it all
};

// The lines that lead to a box must stand before those that come from it. No line ever runs through a box: outside of
// the gaps between layers it keeps its place in the row. Equal input gives equal output.
Layout lay_out(std::vector<LayoutBox> boxes, std::vector<LayoutLine> lines);

}  // namespace heed
