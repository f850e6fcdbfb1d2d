// Picture: RGB pixels that programs draw on and write as PNG. Shapes and text are anti-aliased, and may lie partly or
// wholly outside: what does not fit is left away.
//
//   Picture picture(900, 700, rgb(0xffffff));
//   picture.circle({450, 350}, 100, rgb(0xd95f02));
//   picture.text({450, 350}, "hello", {.size = 20, .align = Align::centre});
//   picture.write_png("runs/hello.png");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

constexpr Colour rgb(uint32_t hex) { return {uint8_t(hex >> 16), uint8_t(hex >> 8), uint8_t(hex)}; }  // 0xrrggbb
Colour mix(Colour a, Colour b, double t);  // t = 0: a, t = 1: b
Colour diverging(double t);                // -1: blue, 0: nearly white, 1: orange; for signed things

// In pixels from the upper left corner: pixel (i, j) is the square from (i, j) to (i + 1, j + 1).
struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
using Curve = std::vector<Point>;

enum class Align : uint8_t { left, centre, right };

struct TextStyle {
  double size = 10;  // height of a capital letter in pixels
  Colour colour = {};
  Align align = Align::left;
  double weight = 0.14;  // width of the pen, as a part of the size; 0.2 is bold
  double alpha = 1;
};

class Picture {
 public:
  Picture(long width, long height, Colour background = rgb(0xffffff));  // 1..16384 each

  long width() const { return width_; }
  long height() const { return height_; }
  Colour at(long x, long y) const;  // throws outside

  void fill(Colour colour);
  void pixel(long x, long y, Colour colour);
  void blend(long x, long y, Colour colour, double alpha);  // alpha = 0 leaves the pixel, 1 replaces it

  void rectangle(const Box& box, Colour colour, double alpha = 1);
  void frame(const Box& box, double width, Colour colour, double alpha = 1);  // its outline
  void circle(Point centre, double radius, Colour colour, double alpha = 1);
  void line(Point from, Point to, double width, Colour colour, double alpha = 1);  // with round ends
  void curve(const Curve& points, double width, Colour colour, double alpha = 1);  // NaN leaves a gap

  // `at` is on the base line, at the left end, the middle or the right end. Printable ASCII; others become a box.
  void text(Point at, const std::string& text, const TextStyle& style = {});
  static double text_width(const std::string& text, double size);

  void write_png(const std::string& path) const;  // as write_file does: whole or not at all, with folders

 private:
  void strokes(const std::vector<Curve>& curves, double width, Colour colour, double alpha);

  long width_, height_;
  std::vector<Colour> pixels_;  // row by row
};

}  // namespace heed
