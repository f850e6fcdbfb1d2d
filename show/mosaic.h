// Mosaic: small pictures side by side, each pixel a square, large enough to look at.
//
//   mosaic(pictures, {.columns = 10}).write_png("samples.png");
#pragma once

#include <string>
#include <vector>

#include "show/picture.h"

namespace heed {

struct MosaicOptions {
  long columns = 10;
  long scale = 0;                       // pixels along a side of each pixel; 0: so that a picture is about 84 wide
  long gap = 4;                         // between pictures, and around them
  std::vector<std::string> heads = {};  // above the columns; none: no line for them
};

// What so many pictures, each width x height, become together: known before the first is drawn.
struct MosaicSize {
  long width = 0, height = 0;
  bool possible() const { return width <= Picture::kMaxSide && height <= Picture::kMaxSide; }
};
MosaicSize mosaic_size(long count, long width, long height, const MosaicOptions& options = {});

// Row by row; the pictures have one size. Throws if there are none, or if all of it is more than a Picture can be.
Picture mosaic(const std::vector<Picture>& pictures, const MosaicOptions& options = {});

// Pictures below each other, each under a line of text.
struct Titled {
  std::string title;
  Picture picture;
};
Picture stacked(const std::vector<Titled>& pictures);

}  // namespace heed
