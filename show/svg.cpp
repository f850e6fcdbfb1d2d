#include "show/svg.h"

#include <algorithm>
#include <cmath>

#include "system/text.h"

namespace heed {
namespace {

constexpr double kFontSize = 1.4;  // of a font, in heights of its capitals

std::string opacity(const char* attribute, double alpha) {
  return alpha < 1 ? format(" %s='%.2f'", attribute, alpha) : "";
}

std::string paint(const Fill& fill) {
  return opacity("fill-opacity", fill.alpha) + " fill='" + hex(fill.colour) + "'/>\n";
}

std::string paint(const Stroke& s) {
  return format(" stroke-width='%.4g' stroke-linecap='%s'", s.width, s.dashed ? "butt" : "round") +
         (s.dashed ? format(" stroke-dasharray='%.0f %.0f'", kDash, kDashGap) : "") +
         opacity("stroke-opacity", s.alpha) + " stroke='" + hex(s.colour) + "'/>\n";
}

std::string at(const char* command, Point p) { return format("%s%.1f %.1f", command, p.x, p.y); }

// Attribute selectors are stronger than attributes: no shape needs to know that there are dark screens.
std::string dark_style(const std::string& svg) {
  std::string rules;
  for (const palette::Tone& tone : palette::tones())
    for (const char* attribute : {"fill", "stroke"}) {
      const std::string used = format("%s='%s'", attribute, hex(tone.light).c_str());
      if (svg.find(used) != std::string::npos)
        rules += format("[%s]{%s:%s}\n", used.c_str(), attribute, hex(tone.dark).c_str());
    }
  return rules.empty() ? "" : "<style>@media(prefers-color-scheme:dark){\n" + rules + "}</style>\n";
}

}  // namespace

Svg::Svg(double width, double height, Colour background) : width_(width), height_(height), background_(background) {}

void Svg::rect(const Box& box, const std::string& paint) {
  if (!finite({box.x, box.y}) || !finite({box.width, box.height}) || box.width < 0 || box.height < 0) return;
  body_ += format("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'", box.x, box.y, box.width, box.height) +
           (box.corner > 0 ? format(" rx='%.1f'", box.corner) : "") + paint;
}

void Svg::rectangle(const Box& box, const Fill& fill) { rect(box, paint(fill)); }

// One path, so that a map of thousands of squares stays small; edges on whole pixels, so that no seams show.
void Svg::rectangles(const std::vector<Box>& boxes, const Fill& fill) {
  std::string path;
  for (const Box& b : boxes)
    if (finite({b.x, b.y}) && finite({b.width, b.height}) && b.width >= 0 && b.height >= 0)
      path += format("M%.5g %.5gh%.5gv%.5gh%.5gz", b.x, b.y, b.width, b.height, -b.width);
  if (!path.empty()) body_ += "<path shape-rendering='crispEdges' d='" + path + "'" + paint(fill);
}

void Svg::frame(const Box& box, const Stroke& stroke) {
  const double w = stroke.width;
  rect({box.x + w / 2, box.y + w / 2, box.width - w, box.height - w, std::max(box.corner - w / 2, 0.0)},
       " fill='none'" + paint(stroke));
}

void Svg::polygon(const Curve& corners, const Fill& fill) {
  if (!std::all_of(corners.begin(), corners.end(), finite)) return;
  std::string path;
  for (const Point& p : corners) path += at(path.empty() ? "M" : "L", p);
  body_ += "<path d='" + path + "Z'" + paint(fill);
}

void Svg::circle(Point centre, double radius, const Fill& fill) {
  if (finite(centre) && radius > 0 && std::isfinite(radius))
    body_ += format("<circle cx='%.1f' cy='%.1f' r='%.1f'", centre.x, centre.y, radius) + paint(fill);
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  if (finite(from) && finite(to))
    body_ += format("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'", from.x, from.y, to.x, to.y) + paint(stroke);
}

void Svg::curve(const Curve& points, const Stroke& stroke) {
  std::string path;
  const auto good = [&](size_t i) { return i < points.size() && finite(points[i]); };  // i - 1 of 0 is beyond
  for (size_t i = 0; i < points.size(); i++) {
    if (good(i)) path += at(good(i - 1) ? "L" : "M", points[i]);
    if (good(i) && !good(i - 1) && !good(i + 1)) path += "h0";  // a dot
  }
  body_ += "<path d='" + path + "' fill='none' stroke-linejoin='round'" + paint(stroke);
}

void Svg::spline(const Curve& points, const Stroke& stroke) {
  if (points.empty() || !std::all_of(points.begin(), points.end(), finite)) return;
  std::string path = at("M", points[0]);
  for (size_t i = 1; i + 2 < points.size(); i += 3)
    path += at("C", points[i]) + at(" ", points[i + 1]) + at(" ", points[i + 2]);
  body_ += "<path d='" + path + "' fill='none'" + paint(stroke);
}

void Svg::text(Point p, const std::string& text, const TextStyle& style) {
  if (text.empty() || !finite(p)) return;
  const char* anchors[] = {"start", "middle", "end"};
  body_ += format("<text x='%.1f' y='%.1f' font-size='%.4g' text-anchor='%s'", p.x, p.y, style.size * kFontSize,
                  anchors[int(style.align)]) +
           (style.upwards ? format(" transform='rotate(-90 %.1f %.1f)'", p.x, p.y) : "") +
           (style.monospaced ? " font-family='ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace'" : "") +
           (style.weight > 0.16 ? " font-weight='600'" : "") + opacity("fill-opacity", style.alpha) + " fill='" +
           hex(style.colour) + "'>" + xml_text(text) + "</text>\n";
}

std::string Svg::str() const {
  const std::string all = "<rect width='100%' height='100%'" + paint(Fill(background_)) + body_;
  return format("<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f' ", width_,
                height_, width_, height_) +
         "font-family='Helvetica,Arial,DejaVu Sans,sans-serif'>\n" + dark_style(all) + all + "</svg>\n";
}

}  // namespace heed
