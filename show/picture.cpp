#include "show/picture.h"

#include <algorithm>
#include <cmath>

#include "show/font.h"
#include "system/error.h"

namespace heed {
namespace {

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

double distance(Point p, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const double along = length > 0 ? std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - from.x - along * dx, p.y - from.y - along * dy);
}

// From the edge of a box whose corners are rounded, negative inside.
double distance(Point p, const Box& box) {
  const double corner = std::min({box.corner, box.width / 2, box.height / 2});
  const double dx = std::abs(p.x - box.x - box.width / 2) - box.width / 2 + corner;
  const double dy = std::abs(p.y - box.y - box.height / 2) - box.height / 2 + corner;
  return std::hypot(std::max(dx, 0.0), std::max(dy, 0.0)) + std::min(std::max(dx, dy), 0.0) - corner;
}

// From the farthest of the lines along the edges of a convex polygon, whichever way around its corners go.
double outside(Point p, const Curve& corners) {
  double left = -HUGE_VAL, right = -HUGE_VAL;
  for (size_t i = 0; i < corners.size(); i++) {
    const Point a = corners[i], b = corners[(i + 1) % corners.size()];
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
    const double side = length > 0 ? ((p.x - a.x) * dy - (p.y - a.y) * dx) / length : -HUGE_VAL;
    left = std::max(left, side), right = std::max(right, length > 0 ? -side : -HUGE_VAL);
  }
  return std::min(left, right);
}

std::vector<Curve> dashes(const Curve& points) {
  std::vector<Curve> pieces;
  double phase = 0;
  for (size_t i = 0; i + 1 < points.size(); i++) {
    const Point a = points[i], b = points[i + 1];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length > 2 * Picture::kMaxSide) pieces.push_back({a, b});  // it leaves the picture: nobody counts its dashes
    for (double at = 0; at < length && length <= 2 * Picture::kMaxSide;) {
      const bool pen = phase < kDash;
      const double to = std::min(length, at + (pen ? kDash : kDash + kDashGap) - phase);
      const auto on = [&](double t) { return Point{a.x + (b.x - a.x) * t / length, a.y + (b.y - a.y) * t / length}; };
      if (pen) pieces.push_back({on(at), on(to)});
      phase = to < length ? (pen ? kDash : 0) : phase + to - at;
      at = to;
    }
  }
  return pieces;
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

// `distance` of a pixel's middle from the edge of a shape, negative inside: half a pixel away it is empty or full.
template <class Distance> void Picture::paint(const Box& around, const Fill& fill, const Distance& distance) {
  const PixelBox near = touched(around.x - 1, around.y - 1, around.x + around.width + 1, around.y + around.height + 1,
                                {0, 0, width_, height_});
  for (long y = near.top; y < near.bottom; y++)
    for (long x = near.left; x < near.right; x++)
      blend(x, y, fill.colour, fill.alpha * std::clamp(0.5 - distance({double(x) + 0.5, double(y) + 0.5}), 0.0, 1.0));
}

void Picture::rectangle(const Box& box, const Fill& fill) {
  if (box.corner > 0) return paint(box, fill, [&](Point p) { return distance(p, box); });
  const double right = box.x + box.width, bottom = box.y + box.height;
  const PixelBox pixels = touched(box.x, box.y, right, bottom, {0, 0, width_, height_});
  for (long y = pixels.top; y < pixels.bottom; y++)
    for (long x = pixels.left; x < pixels.right; x++)
      blend(x, y, fill.colour, fill.alpha * overlap(box.x, right, x) * overlap(box.y, bottom, y));
}

void Picture::frame(const Box& box, const Stroke& stroke) {
  const double half = std::max(stroke.width, 1.0) / 2, alpha = stroke.alpha * std::min(stroke.width, 1.0);
  paint(box, {stroke.colour, alpha}, [&](Point p) { return std::abs(distance(p, box) + half) - half; });
}

void Picture::polygon(const Curve& corners, const Fill& fill) {
  if (corners.size() < 3 || !std::all_of(corners.begin(), corners.end(), finite)) return;
  const auto [left, right] =
      std::minmax_element(corners.begin(), corners.end(), [](auto a, auto b) { return a.x < b.x; });
  const auto [top, bottom] =
      std::minmax_element(corners.begin(), corners.end(), [](auto a, auto b) { return a.y < b.y; });
  paint({left->x, top->y, right->x - left->x, bottom->y - top->y}, fill, [&](Point p) { return outside(p, corners); });
}

void Picture::circle(Point centre, double radius, const Fill& fill) {
  strokes({{centre}}, {2 * radius, fill.colour, fill.alpha});
}

void Picture::line(Point from, Point to, const Stroke& stroke) { curve({from, to}, stroke); }

void Picture::curve(const Curve& points, const Stroke& stroke) {
  strokes(stroke.dashed ? dashes(points) : std::vector<Curve>{points}, stroke);
}

// A curve of one point is a dot. Lines thinner than a pixel are drawn one pixel wide and paler.
void Picture::strokes(const std::vector<Curve>& curves, const Stroke& stroke) {
  if (!(stroke.width > 0)) return;
  const double radius = std::max(stroke.width, 1.0) / 2;
  Coverage coverage(bounds(curves, radius + 1, {0, 0, width_, height_}));
  for (const Curve& points : curves)
    for (size_t i = 0; i < points.size(); i++) {
      const Point from = points[i], to = points[std::min(i + 1, points.size() - 1)];
      if (finite(from)) coverage.segment(from, finite(to) ? to : from, radius);
    }
  const float* part = coverage.parts.data();
  for (long y = coverage.box.top; y < coverage.box.bottom; y++)
    for (long x = coverage.box.left; x < coverage.box.right; x++)
      blend(x, y, stroke.colour, stroke.alpha * std::min(stroke.width, 1.0) * *part++);
}

void Picture::text(Point at, const std::string& text, const TextStyle& style) {
  const double shift = style.align == Align::left ? 0 : style.align == Align::centre ? 0.5 : 1;
  const double before = shift * text_width(text, style.size);
  std::vector<Curve> curves = text_curves(text);
  for (Curve& curve : curves)
    for (Point& p : curve) {
      const double along = p.x * style.size - before, above = p.y * style.size;
      p = style.upwards ? Point{at.x - above, at.y - along} : Point{at.x + along, at.y - above};
    }
  strokes(curves, {style.weight * style.size, style.colour, style.alpha});
}

double Picture::text_width(const std::string& text, double size) { return text_advance(text) * size; }

}  // namespace heed
