#include "show/chart.h"

#include <algorithm>
#include <cmath>

#include "system/text.h"

namespace heed {
namespace {

constexpr Colour kPaper = rgb(0xfdfcf9), kInk = rgb(0x27313c);
constexpr Colour kColours[] = {rgb(0x1c5688), rgb(0xc4600f), rgb(0x2f7d4f),
                               rgb(0x8a3d7c), rgb(0x8c6d1f), rgb(0x4b4f9c)};

// What a chart is drawn on.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void line(Point from, Point to, double alpha) = 0;
  virtual void curve(const Curve& points, Colour colour, double width, double alpha) = 0;
  virtual void text(Point at, const std::string& text, const TextStyle& style) = 0;
};

class PictureCanvas : public Canvas {
 public:
  explicit PictureCanvas(Picture& picture) : picture_(picture) {}
  void line(Point from, Point to, double alpha) override { picture_.line(from, to, 1, kInk, alpha); }
  void curve(const Curve& points, Colour colour, double width, double alpha) override {
    picture_.curve(points, width, colour, alpha);
  }
  void text(Point at, const std::string& text, const TextStyle& style) override { picture_.text(at, text, style); }

 private:
  Picture& picture_;
};

std::string hex(Colour c) { return format("#%02x%02x%02x", c.red, c.green, c.blue); }

class SvgCanvas : public Canvas {
 public:
  void line(Point from, Point to, double alpha) override {
    body += format("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-opacity='%.2f'/>\n", from.x,
                   from.y, to.x, to.y, hex(kInk).c_str(), alpha);
  }
  void curve(const Curve& points, Colour colour, double width, double alpha) override {
    std::string path;
    bool drawing = false;
    for (const Point& p : points) {
      const bool good = std::isfinite(p.x) && std::isfinite(p.y);
      if (good) path += format("%s%.1f %.1f", drawing ? "L" : "M", p.x, p.y);
      drawing = good;
    }
    body += "<path d='" + path + "' fill='none' stroke-linejoin='round' " +
            format("stroke='%s' stroke-width='%.1f' stroke-opacity='%.2f'/>\n", hex(colour).c_str(), width, alpha);
  }
  void text(Point at, const std::string& text, const TextStyle& style) override {
    const char* anchors[] = {"start", "middle", "end"};
    body += format("<text x='%.1f' y='%.1f' font-size='%.1f' text-anchor='%s' fill='%s' fill-opacity='%.2f'%s>", at.x,
                   at.y, style.size * 1.4, anchors[int(style.align)], hex(style.colour).c_str(), style.alpha,
                   style.weight > 0.16 ? " font-weight='600'" : "") +
            xml_text(text) + "</text>\n";
  }
  std::string body;
};

struct Range {
  double low = 0, high = 1;
};

// The range of one coordinate; `most`: the part of the values that must lie below its end.
Range range_of(const Chart& chart, double Point::*coordinate, double most) {
  std::vector<double> values;
  for (const Series& s : chart.series)
    for (const Point& p : s.points)
      if (std::isfinite(p.x) && std::isfinite(p.y)) values.push_back(p.*coordinate);
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
    const bool good = std::isfinite(p.x) && std::isfinite(p.y);
    return {box.x + box.width * (p.x - x.low) / (x.high - x.low), good ? box.y + box.height * down : NAN};
  }
};

Frame frame_of(const Chart& chart) {
  Frame frame{{64, 84, chart.width - 64 - 28, chart.height - 84 - 52},
              range_of(chart, &Point::x, 1),
              range_of(chart, &Point::y, 0.9)};
  const double room = 0.06 * (frame.y.high - frame.y.low);
  frame.y.low -= room, frame.y.high += room;
  return frame;
}

std::string number_text(double x) {
  if (std::abs(x) >= 1e6) return format("%.3gM", x / 1e6);
  if (std::abs(x) >= 1e4) return format("%.4gk", x / 1e3);
  return format("%.6g", std::abs(x) < 1e-12 ? 0.0 : x);
}

void draw_axes(Canvas& canvas, const Frame& frame, const Chart& chart) {
  const Box& box = frame.box;
  const double bottom = box.y + box.height;
  for (double y : round_numbers(frame.y.low, frame.y.high, 6)) {
    const double at = frame.at({0, y}).y;
    canvas.line({box.x, at}, {box.x + box.width, at}, 0.14);
    canvas.text({box.x - 8, at + 4.5}, number_text(y),
                {.size = 9, .colour = kInk, .align = Align::right, .alpha = 0.8});
  }
  for (double x : round_numbers(frame.x.low, frame.x.high, 8)) {
    const double at = frame.at({x, 0}).x;
    canvas.line({at, bottom}, {at, bottom + 5}, 0.5);
    canvas.text({at, bottom + 20}, number_text(x), {.size = 9, .colour = kInk, .align = Align::centre, .alpha = 0.8});
  }
  canvas.line({box.x, bottom}, {box.x + box.width, bottom}, 0.5);
  canvas.text({box.x + box.width, bottom + 40}, chart.x_label,
              {.size = 9, .colour = kInk, .align = Align::right, .alpha = 0.8});
  canvas.text({box.x - 44, box.y - 14}, chart.y_label, {.size = 9, .colour = kInk, .alpha = 0.8});
}

// The names, in the upper right corner: losses fall, so that it is mostly free.
void draw_legend(Canvas& canvas, const Frame& frame, const Chart& chart) {
  double y = frame.box.y + 12;
  const double right = frame.box.x + frame.box.width - 8;
  for (size_t i = 0; i < chart.series.size(); i++, y += 19) {
    const Series& s = chart.series[i];
    canvas.text({right - 30, y + 4.5}, s.name, {.size = 9, .colour = kInk, .align = Align::right});
    canvas.curve({{right - 22, y}, {right, y}}, kColours[i % std::size(kColours)], 2.4, s.faint ? 0.45 : 1);
  }
}

// A curve above the frame is not drawn along its edge: only the points beside one that is inside stay.
Curve visible_part(const Frame& frame, const std::vector<Point>& points) {
  const auto above = [&](size_t k) {
    return k >= points.size() || points[k].y > frame.y.high;
  };  // k - 1 of 0 is beyond
  Curve curve;
  for (size_t k = 0; k < points.size(); k++)
    curve.push_back(above(k - 1) && above(k) && above(k + 1) ? Point{NAN, NAN} : frame.at(points[k]));
  return curve;
}

void draw(Canvas& canvas, const Chart& chart) {
  const Frame frame = frame_of(chart);
  canvas.text({20, 32}, chart.title, {.size = 14, .colour = kInk, .weight = 0.17});
  if (!chart.subtitle.empty()) canvas.text({20, 52}, chart.subtitle, {.size = 9, .colour = kInk, .alpha = 0.8});
  draw_axes(canvas, frame, chart);
  for (size_t i = 0; i < chart.series.size(); i++) {
    const Curve curve = visible_part(frame, chart.series[i].points);
    const bool faint = chart.series[i].faint;
    canvas.curve(curve, kColours[i % std::size(kColours)], faint ? 1.2 : 2.2, faint ? 0.45 : 1);
  }
  draw_legend(canvas, frame, chart);
}

}  // namespace

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
  Picture picture(long(chart.width), long(chart.height), kPaper);
  PictureCanvas canvas(picture);
  draw(canvas, chart);
  return picture;
}

std::string chart_svg(const Chart& chart) {
  SvgCanvas canvas;
  draw(canvas, chart);
  return format(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f' "
             "font-family='system-ui, sans-serif'>\n<rect width='100%%' height='100%%' fill='%s'/>\n",
             chart.width, chart.height, chart.width, chart.height, hex(kPaper).c_str()) +
         canvas.body + "</svg>\n";
}

}  // namespace heed
