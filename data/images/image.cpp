#include "data/images/image.h"

#include <algorithm>

#include "system/error.h"

namespace heed {
namespace {

void check(const char* op, const Image& image) {
  HEED_CHECK(image.rows > 0 && image.columns > 0 && (image.channels == 1 || image.channels == 3) &&
                 long(image.pixels.size()) == image.rows * image.columns * image.channels,
             op, "the picture is ", image.rows, " x ", image.columns, " with ", image.channels, " channels and has ",
             image.pixels.size(), " bytes; it must have a pixel at least, 1 or 3 channels, and a byte for each");
}

// What a new pixel covers of the old ones along one axis: old pixel first + i with weight[i]. Old pixels are `fresh`
// units long and new ones `old` units, so that all borders are whole numbers.
struct Cover {
  long first = 0;
  std::vector<long> weights = {};
};

std::vector<Cover> covers(long old, long fresh) {
  std::vector<Cover> all;
  for (long i = 0; i < fresh; i++) {
    const long begin = i * old, end = begin + old;
    Cover cover{.first = begin / fresh};
    for (long j = cover.first; j * fresh < end; j++)
      cover.weights.push_back(std::min(end, (j + 1) * fresh) - std::max(begin, j * fresh));
    all.push_back(cover);
  }
  return all;
}

// Of the square whose upper left corner is (top, left).
uint8_t mean_over(const Image& image, const uint8_t* corner, const Cover& down, const Cover& across) {
  long sum = 0, total = 0;
  for (size_t i = 0; i < down.weights.size(); i++) {
    const uint8_t* row = corner + (down.first + long(i)) * image.columns * image.channels;
    for (size_t j = 0; j < across.weights.size(); j++) {
      const long weight = down.weights[i] * across.weights[j];
      sum += weight * row[(across.first + long(j)) * image.channels];
      total += weight;
    }
  }
  return uint8_t((sum + total / 2) / total);
}

}  // namespace

Image grey_of(const Image& image) {
  check("grey_of", image);
  if (image.channels == 1) return image;
  Image grey{.rows = image.rows, .columns = image.columns};
  grey.pixels.reserve(image.pixels.size() / 3);
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    const uint8_t* p = &image.pixels[i];
    grey.pixels.push_back(uint8_t((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000));
  }
  return grey;
}

Image colour_of(const Image& image) {
  check("colour_of", image);
  if (image.channels == 3) return image;
  Image colour{.rows = image.rows, .columns = image.columns, .channels = 3};
  colour.pixels.reserve(image.pixels.size() * 3);
  for (const uint8_t level : image.pixels) colour.pixels.insert(colour.pixels.end(), 3, level);
  return colour;
}

Image square_of(const Image& image, long size) {
  check("square_of", image);
  HEED_CHECK(size > 0, "square_of", "the size is ", size, "; it must be at least 1");
  const long side = std::min(image.rows, image.columns);
  const long top = (image.rows - side) / 2, left = (image.columns - side) / 2;
  const uint8_t* corner = &image.pixels[size_t((top * image.columns + left) * image.channels)];
  const std::vector<Cover> cover = covers(side, size);
  Image square{.rows = size, .columns = size, .channels = image.channels};
  square.pixels.reserve(size_t(size * size * image.channels));
  for (const Cover& down : cover)
    for (const Cover& across : cover)
      for (long c = 0; c < image.channels; c++) square.pixels.push_back(mean_over(image, corner + c, down, across));
  return square;
}

}  // namespace heed
