#include "data/images/pixel_palette.h"

#include <algorithm>
#include <charconv>

#include "data/images/colour_means.h"
#include "system/error.h"
#include "system/json.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr const char* kOp = "palette";

long brightness(const PixelPalette::Colour& c) { return 299 * c[0] + 587 * c[1] + 114 * c[2]; }

bool darker(const PixelPalette::Colour& a, const PixelPalette::Colour& b) {
  return brightness(a) != brightness(b) ? brightness(a) < brightness(b) : a < b;
}

long square(long x) { return x * x; }

// "0a1b2c" -> 10, 27, 44
PixelPalette::Colour colour_in(const std::string& text, const std::string& from) {
  PixelPalette::Colour colour = {};
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  HEED_CHECK(text.size() == 6 && error == std::errc() && end == text.data() + 6, kOp, "the palette of ", from, " has '",
             text, "' where a colour such as 0a1b2c was expected");
  for (size_t c = 0; c < 3; c++) colour[c] = uint8_t(number >> (16 - 8 * c));
  return colour;
}

}  // namespace

PixelPalette::PixelPalette(const std::vector<Colour>& colours, long channels) : colours_(colours), channels_(channels) {
  HEED_CHECK(channels == 1 || channels == 3, kOp, "there are ", channels, " channels; 1 (grey) or 3 are possible");
  HEED_CHECK(!colours.empty() && long(colours.size()) <= kMaxColours, kOp, "there are ", colours.size(),
             " colours; 1 to ", kMaxColours, " are possible");
  std::sort(colours_.begin(), colours_.end(), darker);
  const auto twice = std::adjacent_find(colours_.begin(), colours_.end());
  HEED_CHECK(twice == colours_.end(), kOp, "a colour stands in it twice; they must be different");
  for (const Colour& c : colours_)
    HEED_CHECK(channels == 3 || (c[0] == c[1] && c[0] == c[2]), kOp, "the pictures are grey, and a colour is not");
}

PixelPalette PixelPalette::fit(const Images& images, long colours, uint32_t seed) {
  HEED_CHECK(colours >= 1 && colours <= kMaxColours, kOp, colours, " colours were asked for; 1 to ", kMaxColours,
             " are possible");
  HEED_CHECK(images.count() > 0, kOp, "there are no pictures to take colours from");
  return {colour_means(sampled_colours(images, seed), colours, seed), images.channels};
}

long PixelPalette::nearest(const Colour& colour) const {
  long best = 0, least = INT64_MAX;
  for (size_t i = 0; i < colours_.size(); i++) {
    long distance = 0;
    for (size_t c = 0; c < 3; c++) distance += square(long(colour[c]) - colours_[i][c]);
    if (distance < least) best = long(i), least = distance;
  }
  return best;
}

std::vector<uint16_t> PixelPalette::ids(std::span<const uint8_t> pixels) const {
  HEED_CHECK(long(pixels.size()) % channels_ == 0, kOp, "there are ", pixels.size(), " bytes; pixels have ", channels_);
  constexpr uint16_t kUnknown = 0xffff;
  const int bits = channels_ == 1 ? 8 : 24;
  std::vector<uint16_t> known;  // the id of every colour that came before, if that saves more than it costs
  if (pixels.size() >= size_t(1) << (bits - 6)) known.assign(size_t(1) << bits, kUnknown);
  std::vector<uint16_t> ids;
  ids.reserve(pixels.size() / size_t(channels_));
  for (size_t i = 0; i < pixels.size(); i += size_t(channels_)) {
    const uint8_t *p = &pixels[i], green = channels_ == 1 ? p[0] : p[1], blue = channels_ == 1 ? p[0] : p[2];
    const size_t key = channels_ == 1 ? p[0] : size_t(p[0]) << 16 | size_t(green) << 8 | blue;
    uint16_t id = known.empty() ? kUnknown : known[key];
    if (id == kUnknown) id = uint16_t(nearest({p[0], green, blue}));
    if (!known.empty()) known[key] = id;
    ids.push_back(id);
  }
  return ids;
}

std::vector<uint8_t> PixelPalette::pixels(std::span<const uint16_t> ids) const {
  std::vector<uint8_t> pixels;
  pixels.reserve(ids.size() * size_t(channels_));
  for (const uint16_t id : ids) {
    HEED_CHECK(id < size(), kOp, "there is no colour ", id, "; they are 0 to ", size() - 1);
    pixels.insert(pixels.end(), colour(id).begin(), colour(id).begin() + channels_);
  }
  return pixels;
}

std::string PixelPalette::saved() const {
  Json list = Json::array();
  for (const Colour& c : colours_) list.push_back(format("%02x%02x%02x", c[0], c[1], c[2]));
  return Json(Json::Object{{"channels", channels_}, {"colours", list}}).dump();
}

PixelPalette PixelPalette::from_saved(const std::string& saved, const std::string& from) {
  const Json json = Json::parse(saved, "the palette of " + from);
  std::vector<Colour> colours;
  for (const Json& text : json.at("colours").items()) colours.push_back(colour_in(text.text(), from));
  return {colours, json.at("channels").integer()};
}

}  // namespace heed
