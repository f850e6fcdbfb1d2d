#include "show/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heed {
namespace {

// The y axis: log10 of the lowest and the highest value.
struct Range {
  double low = 0, high = 1;
};

Range range_of(const std::vector<double>& values) {
  double low = HUGE_VAL, high = 0;
  for (double value : values)
    if (value > 0 && std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (high == 0) return {};
  Range range{std::log10(low) - 0.05, std::log10(high) + 0.05};
  if (std::floor(range.high) < range.low) range.low = std::floor(range.low);  // at least one decade line
  return range;
}

std::string decade_text(int exponent) {
  char text[32];
  if (exponent < -4 || exponent > 4)
    std::snprintf(text, sizeof text, "1e%d", exponent);
  else
    std::snprintf(text, sizeof text, "%.*f", std::max(-exponent, 0), std::pow(10.0, exponent));
  return text;
}

struct Axes {
  Box box;
  Range range;
  size_t count;

  double y(double exponent) const { return box.y + box.height * (range.high - exponent) / (range.high - range.low); }
  int first_decade() const { return int(std::ceil(range.low)); }
  int last_decade() const { return int(std::floor(range.high)); }
  double x(size_t i) const { return box.x + box.width * double(i) / double(std::max<size_t>(count, 2) - 1); }
};

// Leaves room in the box: the title above, decades at the left, one line below.
Axes axes_inside(const Box& box, const CurvePlot& plot) {
  Axes axes{box, range_of(plot.values), plot.values.size()};
  double labels = 0;
  for (int e = axes.first_decade(); e <= axes.last_decade(); e++)
    labels = std::max(labels, Picture::text_width(decade_text(e), plot.text_size) + plot.text_size);
  const double above = 2.5 * plot.text_size, below = 2 * plot.text_size;
  axes.box = {std::round(box.x + labels), box.y + above, box.width - std::round(labels), box.height - above - below};
  return axes;
}

void draw_axes(Picture& picture, const Axes& axes, const CurvePlot& plot) {
  const Box& box = axes.box;
  TextStyle style{.size = plot.text_size, .colour = plot.ink, .align = Align::right, .alpha = 0.75};
  for (int e = axes.first_decade(); e <= axes.last_decade(); e++) {
    picture.rectangle({box.x, std::round(axes.y(e)), box.width, 1}, plot.ink, 0.15);
    picture.text({box.x - plot.text_size, axes.y(e) + plot.text_size / 2}, decade_text(e), style);
  }
  picture.rectangle({box.x, box.y + box.height, box.width, 1}, plot.ink, 0.5);
  const double below = box.y + box.height + 2 * plot.text_size;
  picture.text({box.x + box.width, below}, std::to_string(plot.values.size()), style);
  style.align = Align::left;
  picture.text({box.x, below}, plot.x_label, style);
}

}  // namespace

void plot_logarithmic(Picture& picture, const Box& box, const CurvePlot& plot) {
  const Axes axes = axes_inside(box, plot);
  picture.text({box.x, box.y + plot.text_size}, plot.title, {.size = plot.text_size, .colour = plot.ink});
  draw_axes(picture, axes, plot);
  Curve curve;
  for (size_t i = 0; i < plot.values.size(); i++) {
    const double value = plot.values[i];
    curve.push_back({axes.x(i), value > 0 ? axes.y(std::log10(value)) : NAN});
  }
  picture.curve(curve, 1.6, plot.colour);
}

}  // namespace heed
