#include "data/images/shapes.h"

#include <algorithm>
#include <cstdlib>

#include "system/error.h"
#include "system/nearest.h"
#include "system/spec.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr const char* kOp = "shapes";
constexpr long kSide = 64;
constexpr uint32_t kDraws = 12;  // of a picture

// Where pixel (x, y) lies, from the middle of a shape of this radius.
using Inside = bool (*)(long x, long y, long radius);

bool in_disc(long x, long y, long r) { return x * x + y * y <= r * r; }
bool in_square(long x, long y, long r) { return 5 * std::max(std::abs(x), std::abs(y)) <= 4 * r; }
bool in_triangle(long x, long y, long r) { return y <= r && 2 * std::abs(x) <= y + r; }
bool in_cross(long x, long y, long r) {
  return std::max(std::abs(x), std::abs(y)) <= r && 3 * std::min(std::abs(x), std::abs(y)) <= r;
}
bool in_ring(long x, long y, long r) { return in_disc(x, y, r) && 9 * (x * x + y * y) >= 4 * r * r; }

constexpr Inside kInside[] = {in_disc, in_square, in_triangle, in_cross, in_ring};

// The draws of one picture.
class Draws {
 public:
  Draws(uint32_t seed, long picture) {
    for (uint32_t i = 0; i < kDraws / 4; i++) {
      const Philox4 four = philox({site_hash(kOp), uint32_t(picture), i, 0}, seed);
      std::copy(four.begin(), four.end(), all_ + 4 * i);
    }
  }
  long from(long low, long high) { return low + long(uint64_t(all_[next_++]) * uint64_t(high - low + 1) >> 32); }

 private:
  uint32_t all_[kDraws];
  size_t next_ = 0;
};

Image picture_of(const Inside inside, Draws& draws) {
  uint8_t colours[2][3];  // dark behind, bright in front
  for (uint8_t& part : colours[0]) part = uint8_t(draws.from(0, 90));
  for (uint8_t& part : colours[1]) part = uint8_t(draws.from(120, 255));
  const long radius = draws.from(kSide / 6, kSide / 3);
  const long x = draws.from(radius, kSide - radius), y = draws.from(radius, kSide - radius);
  Image image{.rows = kSide, .columns = kSide, .channels = 3};
  image.pixels.reserve(size_t(3 * kSide * kSide));
  for (long row = 0; row < kSide; row++)
    for (long column = 0; column < kSide; column++) {
      const uint8_t* colour = colours[inside(column - x, row - y, radius)];
      image.pixels.insert(image.pixels.end(), colour, colour + 3);
    }
  return image;
}

}  // namespace

const std::vector<std::string>& shape_labels() {
  static const std::vector<std::string> names = {"disc", "square", "triangle", "cross", "ring"};
  return names;
}

ShapesOptions shapes_options(const std::string& text) {
  ShapesOptions o;
  for (const SpecOption& option : Spec(text, {.op = kOp}).options)
    if (option.name == "pictures")
      o.pictures = whole_number_of(kOp, option, 1, 1e7);
    else if (option.name == "seed")
      o.seed = uint32_t(whole_number_of(kOp, option, 0, 4294967295.0));
    else
      fail_unknown(kOp, "option", option.name, {"pictures", "seed"});
  return o;
}

void make_shapes(const ShapesOptions& o, TakeImage take) {
  for (long i = 0; i < o.pictures; i++) {
    Draws draws(o.seed, i);
    const long label = draws.from(0, long(shape_labels().size()) - 1);
    take(picture_of(kInside[label], draws), label);
  }
}

}  // namespace heed
