// Picture: a Canvas of RGB pixels that programs write as PNG. Shapes and text are anti-aliased.
//
//   Picture picture(900, 700);
//   picture.circle({450, 350}, 100, palette::kOrange);
//   picture.text({450, 350}, "hello", {.size = 20, .align = Align::centre});
//   picture.write_png("runs/hello.png");
#pragma once

#include "show/canvas.h"

namespace heed {

class Picture : public Canvas {
 public:
  static constexpr long kMaxSide = 16384;
  Picture(long width, long height, Colour background = palette::kBackground);  // 1..kMaxSide each

  long width() const { return width_; }
  long height() const { return height_; }
  Colour at(long x, long y) const;  // throws outside

  void fill(Colour colour);
  void pixel(long x, long y, Colour colour);
  void blend(long x, long y, Colour colour, double alpha);  // alpha = 0 leaves the pixel, 1 replaces it

  void rectangle(const Box& box, const Fill& fill) override;
  void frame(const Box& box, const Stroke& stroke) override;
  void polygon(const Curve& corners, const Fill& fill) override;
  void circle(Point centre, double radius, const Fill& fill) override;
  void line(Point from, Point to, const Stroke& stroke) override;
  void curve(const Curve& points, const Stroke& stroke) override;
  void text(Point at, const std::string& text, const TextStyle& style) override;  // printable ASCII; others: a box
  static double text_width(const std::string& text, double size);

  void write_png(const std::string& path) const;  // as write_file does: whole or not at all, with folders

 private:
  template <class Distance> void paint(const Box& around, const Fill& fill, const Distance& distance);
  void strokes(const std::vector<Curve>& curves, const Stroke& stroke);

  long width_, height_;
  std::vector<Colour> pixels_;  // row by row
};

}  // namespace heed
