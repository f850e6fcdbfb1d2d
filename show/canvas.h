// Canvas: what charts, graphs and bars are drawn on, whether they become pixels (Picture, show/picture.h) or SVG (Svg,
// show/svg.h). The same calls give the same picture on both.
//
//   void draw_flag(Canvas& canvas) {
//     canvas.line({20, 10}, {20, 90}, {.width = 3});
//     canvas.rectangle({20, 10, 50, 30}, palette::kOrange);
//     canvas.text({45, 29}, "heed", {.align = Align::centre});
//   }
//
// Shapes may lie partly or wholly outside: what does not fit is left away. What is not finite is not drawn.
#pragma once

#include <string>
#include <vector>

#include "show/palette.h"

namespace heed {

// In pixels from the upper left corner: pixel (i, j) is the square from (i, j) to (i + 1, j + 1).
struct Point {
  double x = 0, y = 0;
};
bool finite(Point p);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double corner = 0;  // the radius of its corners
};
using Curve = std::vector<Point>;

enum class Align : uint8_t { left, centre, right };

struct Fill {
  Colour colour;
  double alpha;  // opacity: 0 draws nothing, 1 hides what was there
  Fill(Colour fill, double opacity = 1) : colour(fill), alpha(opacity) {}
};

inline constexpr double kDash = 4, kDashGap = 3;  // pixels

struct Stroke {  // with round ends
  double width = 1;
  Colour colour = palette::kInk;
  double alpha = 1;
  bool dashed = false;
};

struct TextStyle {
  double size = 10;  // height of a capital letter in pixels
  Colour colour = palette::kInk;
  Align align = Align::left;
  double weight = 0.14;  // width of the pen, as a part of the size; 0.17 and more is bold
  double alpha = 1;
  bool monospaced = false;  // where there is such a font: in SVG
  bool upwards = false;     // reads from bottom to top
};

class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void rectangle(const Box& box, const Fill& fill) = 0;
  virtual void rectangles(const std::vector<Box>& boxes, const Fill& fill);  // many of one colour, with sharp corners
  virtual void frame(const Box& box, const Stroke& stroke) = 0;              // its outline, inside of its edges
  virtual void polygon(const Curve& corners, const Fill& fill) = 0;          // convex
  virtual void circle(Point centre, double radius, const Fill& fill) = 0;
  virtual void line(Point from, Point to, const Stroke& stroke) = 0;
  virtual void curve(const Curve& points, const Stroke& stroke) = 0;  // NaN leaves a gap; one point is a dot
  virtual void spline(const Curve& points, const Stroke& stroke);     // cubic Bezier: p0, (control, control, p)*

  // `at` is on the base line, at the left end, the middle or the right end.
  virtual void text(Point at, const std::string& text, const TextStyle& style) = 0;
};

}  // namespace heed
