// Svg: a Canvas that becomes SVG text, for pages and for files that stay sharp at any size. On dark screens the colours
// of the palette change to their dark twins.
//
//   Svg svg(900, 480);
//   svg.circle({450, 240}, 100, palette::kOrange);
//   write_file("runs/circle.svg", svg.str());
#pragma once

#include "show/canvas.h"

namespace heed {

class Svg : public Canvas {
 public:
  Svg(double width, double height, Colour background = palette::kBackground);

  void rectangle(const Box& box, const Fill& fill) override;
  void rectangles(const std::vector<Box>& boxes, const Fill& fill) override;
  void frame(const Box& box, const Stroke& stroke) override;
  void polygon(const Curve& corners, const Fill& fill) override;
  void circle(Point centre, double radius, const Fill& fill) override;
  void line(Point from, Point to, const Stroke& stroke) override;
  void curve(const Curve& points, const Stroke& stroke) override;
  void spline(const Curve& points, const Stroke& stroke) override;
  void text(Point at, const std::string& text, const TextStyle& style) override;  // any UTF-8

  std::string str() const;  // the same calls give the same text

 private:
  void rect(const Box& box, const std::string& paint);

  double width_, height_;
  Colour background_;
  std::string body_;
};

}  // namespace heed
