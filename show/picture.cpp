#include "show/picture.h"

#include <algorithm>
#include <cmath>

#include "show/font.h"
#include "system/error.h"

namespace heed {
namespace {

constexpr long kMaxSide = 16384;

// The pixels from (left, top) up to, not including, (right, bottom).
struct PixelBox {
  long left = 0, top = 0, right = 0, bottom = 0;
  long width() const { return std::max(right - left, 0L); }
  long height() const { return std::max(bottom - top, 0L); }
};

// The pixels that x0..x1, y0..y1 touches within the limits; none where a number is NaN.
PixelBox touched(double x0, double y0, double x1, double y1, const PixelBox& limits) {
  const auto clamped = [](double x, long low, long high) {
    return x >= double(low) ? (x <= double(high) ? long(x) : high) : low;
  };
  return {clamped(std::floor(x0), limits.left, limits.right), clamped(std::floor(y0), limits.top, limits.bottom),
          clamped(std::ceil(x1), limits.left, limits.right), clamped(std::ceil(y1), limits.top, limits.bottom)};
}

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

double distance(Point p, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - from.x - along * dx, p.y - from.y - along * dy);
}

// How much of each pixel a drawing covers, 0..1. Where strokes meet the larger part counts, so that joints are
// painted once.
struct Coverage {
  PixelBox box;
  std::vector<float> parts;

  explicit Coverage(const PixelBox& in) : box(in), parts(size_t(in.width() * in.height())) {}

  void segment(Point from, Point to, double radius) {
    const double reach = radius + 1;
    const auto [x0, x1] = std::minmax(from.x, to.x);
    const auto [y0, y1] = std::minmax(from.y, to.y);
    const PixelBox near = touched(x0 - reach, y0 - reach, x1 + reach, y1 + reach, box);
    for (long y = near.top; y < near.bottom; y++)
      for (long x = near.left; x < near.right; x++) {
        const double d = distance({double(x) + 0.5, double(y) + 0.5}, from, to);
        float& part = parts[size_t((y - box.top) * box.width() + x - box.left)];
        part = std::max(part, float(std::clamp(radius + 0.5 - d, 0.0, 1.0)));
      }
  }
};

PixelBox bounds(const std::vector<Curve>& curves, double margin, const PixelBox& limits) {
  double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL;
  for (const Curve& curve : curves)
    for (Point p : curve) {
      if (!finite(p)) continue;
      x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
      y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
    }
  return touched(x0 - margin, y0 - margin, x1 + margin, y1 + margin, limits);
}

// The length of [low, high] inside pixel i.
double overlap(double low, double high, long i) {
  return std::max(0.0, std::min(high, double(i) + 1) - std::max(low, double(i)));
}

}  // namespace

Colour mix(Colour a, Colour b, double t) {
  t = t > 0 ? std::min(t, 1.0) : 0;
  const auto between = [t](double x, double y) { return uint8_t(std::lround(x + (y - x) * t)); };
  return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

Colour diverging(double t) {
  constexpr Colour kBlue[] = {rgb(0xf7f5f0), rgb(0xc3d9e6), rgb(0x7fb1d0), rgb(0x3c83b5), rgb(0x1c5688)};
  constexpr Colour kOrange[] = {rgb(0xf7f5f0), rgb(0xfbdcb8), rgb(0xf7b878), rgb(0xe98b3a), rgb(0xbf5b12)};
  const double place = std::min(std::abs(t), 1.0) * 4;
  const int i = place < 3 ? int(place) : 3;  // NaN: the last colours
  const Colour* map = t < 0 ? kBlue : kOrange;
  return mix(map[i], map[i + 1], place - i);
}

Picture::Picture(long width, long height, Colour background) : width_(width), height_(height) {
  HEED_CHECK(width >= 1 && height >= 1 && width <= kMaxSide && height <= kMaxSide, "Picture", "the size is ", width,
             " x ", height, "; each side must be 1 to ", kMaxSide, " pixels");
  pixels_.assign(size_t(width * height), background);
}

Colour Picture::at(long x, long y) const {
  HEED_CHECK(x >= 0 && y >= 0 && x < width_ && y < height_, "Picture::at", "pixel (", x, ", ", y,
             ") is outside of the picture, which is ", width_, " x ", height_);
  return pixels_[size_t(y * width_ + x)];
}

void Picture::fill(Colour colour) { std::fill(pixels_.begin(), pixels_.end(), colour); }

void Picture::pixel(long x, long y, Colour colour) { blend(x, y, colour, 1); }

void Picture::blend(long x, long y, Colour colour, double alpha) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  Colour& pixel = pixels_[size_t(y * width_ + x)];
  pixel = mix(pixel, colour, alpha);
}

void Picture::rectangle(const Box& box, Colour colour, double alpha) {
  const double right = box.x + box.width, bottom = box.y + box.height;
  const PixelBox pixels = touched(box.x, box.y, right, bottom, {0, 0, width_, height_});
  for (long y = pixels.top; y < pixels.bottom; y++)
    for (long x = pixels.left; x < pixels.right; x++)
      blend(x, y, colour, alpha * overlap(box.x, right, x) * overlap(box.y, bottom, y));
}

void Picture::frame(const Box& box, double width, Colour colour, double alpha) {
  rectangle({box.x, box.y, box.width, width}, colour, alpha);
  rectangle({box.x, box.y + box.height - width, box.width, width}, colour, alpha);
  rectangle({box.x, box.y + width, width, box.height - 2 * width}, colour, alpha);
  rectangle({box.x + box.width - width, box.y + width, width, box.height - 2 * width}, colour, alpha);
}

void Picture::circle(Point centre, double radius, Colour colour, double alpha) {
  strokes({{centre}}, 2 * radius, colour, alpha);
}

void Picture::line(Point from, Point to, double width, Colour colour, double alpha) {
  strokes({{from, to}}, width, colour, alpha);
}

void Picture::curve(const Curve& points, double width, Colour colour, double alpha) {
  strokes({points}, width, colour, alpha);
}

// A curve of one point is a dot. Lines thinner than a pixel are drawn one pixel wide and paler.
void Picture::strokes(const std::vector<Curve>& curves, double width, Colour colour, double alpha) {
  if (!(width > 0)) return;
  const double radius = std::max(width, 1.0) / 2;
  Coverage coverage(bounds(curves, radius + 1, {0, 0, width_, height_}));
  for (const Curve& points : curves)
    for (size_t i = 0; i < points.size(); i++) {
      const Point from = points[i], to = points[std::min(i + 1, points.size() - 1)];
      if (finite(from)) coverage.segment(from, finite(to) ? to : from, radius);
    }
  const float* part = coverage.parts.data();
  for (long y = coverage.box.top; y < coverage.box.bottom; y++)
    for (long x = coverage.box.left; x < coverage.box.right; x++)
      blend(x, y, colour, alpha * std::min(width, 1.0) * *part++);
}

void Picture::text(Point at, const std::string& text, const TextStyle& style) {
  const double shift = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
  at.x -= shift * text_width(text, style.size);
  std::vector<Curve> curves = text_curves(text);
  for (Curve& curve : curves)
    for (Point& p : curve) p = {at.x + p.x * style.size, at.y - p.y * style.size};
  strokes(curves, style.weight * style.size, style.colour, style.alpha);
}

double Picture::text_width(const std::string& text, double size) { return text_advance(text) * size; }

}  // namespace heed
