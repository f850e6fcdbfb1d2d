// A canvas: what its two kinds make of the same calls.
#include "show/canvas.h"

#include <cmath>

#include "show/picture.h"
#include "show/svg.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(canvas_test)

namespace {

class Recorder : public Picture {  // keeps the last curve
 public:
  Recorder() : Picture(10, 10) {}
  void curve(const Curve& points, const Stroke&) override { last = points; }
  Curve last;
};

void draw_flag(Canvas& canvas) {
  canvas.line({20, 10}, {20, 90}, {.width = 3});
  canvas.rectangle({20, 10, 50, 30}, palette::kOrange);
  canvas.text({45, 29}, "heed", {.align = Align::centre});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_spline_becomes_a_polyline_through_its_ends) {
  Recorder canvas;
  canvas.spline({{0, 0}, {0, 4}, {4, 4}, {4, 0}, {4, -4}, {8, -4}, {8, 0}}, {});
  BOOST_REQUIRE(canvas.last.size() == 49u);
  BOOST_TEST((canvas.last[0].x == 0 && canvas.last[0].y == 0));
  BOOST_TEST((canvas.last[12].x == 2 && canvas.last[12].y == 3));  // the middle: (p0 + 3 p1 + 3 p2 + p3) / 8
  BOOST_TEST((canvas.last[24].x == 4 && canvas.last[24].y == 0));
  BOOST_TEST((canvas.last[48].x == 8 && canvas.last[48].y == 0));
  canvas.spline({}, {});
  BOOST_TEST(canvas.last.empty());
}

BOOST_AUTO_TEST_CASE(many_rectangles_are_one_path_in_svg_and_the_same_pixels) {
  Picture picture(20, 20);
  Svg svg(20, 20);
  const std::vector<Box> boxes = {{1, 2, 3, 4}, {10, 10, 5, 1}, {NAN, 1, 1, 1}, {1, 1, -3, 1}};
  for (Canvas* canvas : {static_cast<Canvas*>(&picture), static_cast<Canvas*>(&svg)})
    canvas->rectangles(boxes, palette::kSeen);
  BOOST_TEST((picture.at(1, 2) == palette::kSeen && picture.at(3, 5) == palette::kSeen));
  BOOST_TEST((picture.at(14, 10) == palette::kSeen && picture.at(15, 10) == palette::kBackground));
  BOOST_TEST(svg.str().find(" d='M1 2h3v4h-3zM10 10h5v1h-5z' fill='#3f7fb5'/>") != std::string::npos, svg.str());
  Svg nothing(20, 20);
  nothing.rectangles({}, palette::kSeen);
  BOOST_TEST(nothing.str().find("<path") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(points_are_finite_if_both_of_their_coordinates_are) {
  BOOST_TEST(finite({1, 2}));
  BOOST_TEST(!finite({NAN, 2}));
  BOOST_TEST(!finite({1, INFINITY}));
}

BOOST_AUTO_TEST_CASE(one_drawing_serves_pixels_and_svg) {
  Picture picture(100, 100);
  Svg svg(100, 100);
  draw_flag(picture);
  draw_flag(svg);
  BOOST_TEST((picture.at(20, 80) == palette::kInk && picture.at(60, 15) == palette::kOrange));
  BOOST_TEST((picture.at(90, 90) == palette::kBackground));
  for (const char* part : {"<line x1='20.0' y1='10.0' x2='20.0' y2='90.0' stroke-width='3'",
                           "<rect x='20.0' y='10.0' width='50.0' height='30.0' fill='#c4600f'/>", ">heed</text>"})
    BOOST_TEST(svg.str().find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_SUITE_END()
