// Image: a picture as bytes, and what is done to it before a model sees it: cut to a square, made smaller, made grey.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

struct Image {
  long rows = 0, columns = 0, channels = 1;  // 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels = {};          // (rows, columns, channels)
};

// 0.299 red + 0.587 green + 0.114 blue, rounded.
Image grey_of(const Image& image);
Image colour_of(const Image& image);  // three equal channels of a grey one

// The largest square in the middle, as size x size pixels. Each is the mean over the area that it covers, parts of
// pixels by their share: nothing is skipped when a picture becomes smaller, and one that is too small has its pixels
// repeated. In whole numbers: the same on every machine.
Image square_of(const Image& image, long size);

}  // namespace heed
