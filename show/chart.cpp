#include "show/chart.h"

#include <algorithm>
#include <cmath>

#include "show/svg.h"
#include "system/text.h"

namespace heed {
namespace {

using palette::kAxis, palette::kGrid, palette::kSoft;

constexpr double kText = 9;  // the size of labels
constexpr double kMargin = 20;
constexpr double kDot = 4.5;  // its radius

struct Range {
  double low = 0, high = 1;
};

// What the y axis measures: the value itself or its logarithm; NaN if it has none.
double height_of(const Chart& chart, double y) {
  if (!chart.logarithmic) return y;
  return y > 0 ? std::log10(y) : NAN;
}

double place_of(const Chart& chart, double x) { return chart.doubling ? std::log2(x) : x; }  // on the x axis

// The range of one coordinate; `most`: the part of the values that must lie below its end.
Range range_of(std::vector<double> values, double most) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  Range range{values.front(), values[size_t(double(values.size() - 1) * most)]};
  if (range.high - range.low < 1e-9 * std::max(1.0, std::abs(range.high))) range.low -= 0.5, range.high += 0.5;
  return range;
}

// Where the curves are, and how their units become pixels.
struct Frame {
  Box box;
  Range x, y;
  Point at(const Point& p) const {
    const double down = std::clamp((y.high - p.y) / (y.high - y.low), 0.0, 1.0);
    return {box.x + box.width * (p.x - x.low) / (x.high - x.low), finite(p) ? box.y + box.height * down : NAN};
  }
  double right() const { return box.x + box.width; }
  double bottom() const { return box.y + box.height; }
};

std::string number_text(double x) {
  if (std::abs(x) >= 1e9) return format("%.3g", x);
  if (std::abs(x) >= 1e6) return format("%.3gM", x / 1e6);
  if (std::abs(x) >= 1e4) return format("%.4gk", x / 1e3);
  return format("%.6g", std::abs(x) < 1e-12 ? 0.0 : x);
}

struct Tick {
  double at;
  std::string text;
};

// Of a logarithmic axis: 1, 2, 5, 10, ... or, where that would be too many, powers of ten alone.
std::vector<Tick> decades(const Range& range) {
  const bool powers = range.high - range.low > 2;
  std::vector<Tick> ticks;
  for (const double exponent : round_numbers(std::floor(range.low), range.high, powers ? 6 : 2)) {
    if (exponent != std::floor(exponent)) continue;
    for (const double digit : {1., 2., 5.}) {
      const double at = exponent + std::log10(digit);
      if (at >= range.low && at <= range.high && (digit == 1 || !powers))
        ticks.push_back({at, format("%.4g", digit * std::pow(10, exponent))});
    }
  }
  return ticks;
}

std::vector<Tick> y_ticks(const Chart& chart, const Range& range) {
  if (chart.logarithmic) return decades(range);
  std::vector<Tick> ticks;
  for (const double y : round_numbers(range.low, range.high, 6)) ticks.push_back({y, number_text(y)});
  return ticks;
}

std::string power_text(double exponent) {  // "512", "16K"
  const double number = std::exp2(exponent);
  return exponent < 10   ? format("%.4g", number)
         : exponent < 20 ? format("%.0fK", number / 1024)
                         : format("%.0fM", number / 1048576);
}

std::vector<Tick> x_ticks(const Chart& chart, const Range& range, double width) {
  std::vector<Tick> ticks;
  for (const double x : round_numbers(range.low, range.high, std::max(3, int(width / (chart.doubling ? 50 : 100)))))
    if (!chart.doubling || x == std::floor(x)) ticks.push_back({x, chart.doubling ? power_text(x) : number_text(x)});
  return ticks;
}

// Leaves room in the box: the numbers at the left, and below them those of the x axis and its label.
Frame frame_of(const Box& box, const Chart& chart) {
  std::vector<double> xs, ys;
  for (const Series& s : chart.series)
    for (const Point& p : s.points)
      if (const Point at{place_of(chart, p.x), height_of(chart, p.y)}; finite(at))
        xs.push_back(at.x), ys.push_back(at.y);
  Frame frame{box, range_of(xs, 1), range_of(ys, chart.logarithmic || chart.whole ? 1 : 0.9)};
  const double room = std::max(0.06 * (frame.y.high - frame.y.low), chart.logarithmic ? 0.1 : 0.0);
  frame.y.low -= room, frame.y.high += chart.whole ? 4 * room : room;  // the legend must not hide the highest
  double numbers = 0;
  for (const Tick& tick : y_ticks(chart, frame.y)) numbers = std::max(numbers, Picture::text_width(tick.text, kText));
  const double left = std::round(numbers + 12), below = chart.x_label.empty() ? 24 : 44;
  frame.box = {box.x + left, box.y, box.width - left, box.height - below};
  return frame;
}

void draw_axes(Canvas& canvas, const Frame& frame, const Chart& chart) {
  const double left = frame.box.x, right = frame.right(), bottom = frame.bottom();
  for (const Tick& tick : y_ticks(chart, frame.y)) {
    const double at = frame.at({0, tick.at}).y;
    canvas.line({left, at}, {right, at}, {.alpha = kGrid});
    canvas.text({left - 8, at + 4.5}, tick.text, {.size = kText, .align = Align::right, .alpha = kSoft});
  }
  for (const Tick& tick : x_ticks(chart, frame.x, frame.box.width)) {
    const double at = frame.at({tick.at, 0}).x;
    const double beyond =
        std::max(0.0, at + Picture::text_width(tick.text, kText) / 2 - right);  // the last one stays inside
    canvas.line({at, bottom}, {at, bottom + 5}, {.alpha = kAxis});
    canvas.text({at - beyond, bottom + 20}, tick.text, {.size = kText, .align = Align::centre, .alpha = kSoft});
  }
  canvas.line({left, bottom}, {right, bottom}, {.alpha = kAxis});
  canvas.text({right, bottom + 40}, chart.x_label, {.size = kText, .align = Align::right, .alpha = kSoft});
}

Stroke pen(const Chart& chart, size_t i, double width) {
  return {width, palette::kSeries[i % std::size(palette::kSeries)], chart.series[i].faint ? 0.45 : 1};
}

// The names, in the upper right corner: losses fall, so that it is mostly free. What rises leaves the left one free.
void draw_legend(Canvas& canvas, const Frame& frame, const Chart& chart) {
  double y = frame.box.y + 12;
  const double right = frame.right() - 8;
  for (size_t i = 0; i < chart.series.size(); i++) {
    if (chart.series[i].name.empty()) continue;
    const double x = chart.rising ? frame.box.x + 8 : right - 22;
    const Align align = chart.rising ? Align::left : Align::right;
    canvas.text({chart.rising ? x + 30 : x - 8, y + 4.5}, chart.series[i].name, {.size = kText, .align = align});
    if (chart.series[i].dots)
      canvas.circle({x + 11, y}, kDot, pen(chart, i, 0).colour);
    else
      canvas.curve({{x, y}, {x + 22, y}}, pen(chart, i, 2.4));
    y += 19;
  }
}

// A curve above the frame is not drawn along its edge: only the points beside one that is inside stay.
Curve visible_part(const Frame& frame, const Chart& chart, const std::vector<Point>& points) {
  const auto at = [&](size_t k) { return Point{place_of(chart, points[k].x), height_of(chart, points[k].y)}; };
  const auto above = [&](size_t k) { return k >= points.size() || at(k).y > frame.y.high; };  // k - 1 of 0 is beyond
  Curve curve;
  for (size_t k = 0; k < points.size(); k++)
    curve.push_back(above(k - 1) && above(k) && above(k + 1) ? Point{NAN, NAN} : frame.at(at(k)));
  return curve;
}

void draw(Canvas& canvas, const Chart& chart) {
  constexpr double kTop = 84, kRight = 28, kBottom = 8;
  canvas.text({kMargin, 32}, chart.title, {.size = 14, .weight = 0.17});
  canvas.text({kMargin, 52}, chart.subtitle, {.size = kText, .alpha = kSoft});
  canvas.text({kMargin, kTop - 14}, chart.y_label, {.size = kText, .alpha = kSoft});
  draw_curves(canvas, {kMargin, kTop, chart.width - kMargin - kRight, chart.height - kTop - kBottom}, chart);
}

}  // namespace

void draw_curves(Canvas& canvas, const Box& box, const Chart& chart) {
  const Frame frame = frame_of(box, chart);
  draw_axes(canvas, frame, chart);
  for (size_t i = 0; i < chart.series.size(); i++) {
    const Curve curve = visible_part(frame, chart, chart.series[i].points);
    if (chart.series[i].dots)
      for (const Point& p : curve) canvas.circle(p, kDot, pen(chart, i, 0).colour);
    else
      canvas.curve(curve, pen(chart, i, chart.series[i].faint ? 1.2 : 2.2));
  }
  draw_legend(canvas, frame, chart);
}

std::vector<double> round_numbers(double low, double high, int count) {
  const double step = (high - low) / std::max(count, 1);
  if (!(step > 1e-12 * std::max(std::abs(low), std::abs(high))) || !std::isfinite(step)) return {};
  const double power = std::pow(10, std::floor(std::log10(step)));
  const double digit = step / power, nice = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
  std::vector<double> list;
  for (double i = std::ceil(low / nice); i * nice <= high + 1e-9 * nice; i++) list.push_back(i * nice);
  return list;
}

Picture draw_chart(const Chart& chart) {
  Picture picture(long(chart.width), long(chart.height));
  draw(picture, chart);
  return picture;
}

std::string chart_svg(const Chart& chart) {
  Svg svg(chart.width, chart.height);
  draw(svg, chart);
  return svg.str();
}

}  // namespace heed
