// SVG: what each call writes, and that nothing breaks the text.
#include "show/svg.h"

#include <cmath>

#include "tests/show/xml.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(svg_test)

namespace {

// What one drawing adds to an empty picture.
template <class Draw> std::string drawn(const Draw& draw) {
  const auto body = [](const Svg& svg) {
    const std::string text = svg.str();
    BOOST_TEST(xml_problem(text) == "");
    const size_t begin = text.find("<rect");
    return text.substr(begin, text.find("</svg>") - begin);
  };
  Svg svg(100, 50);
  const std::string empty = body(svg);
  draw(svg);
  return body(svg).substr(empty.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_picture_says_its_size_and_background) {
  const std::string text = Svg(120.4, 50, rgb(0x010203)).str();
  BOOST_TEST(text.starts_with("<svg xmlns='http://www.w3.org/2000/svg' width='120' height='50' viewBox='0 0 120 50' "));
  BOOST_TEST(count(text, "<rect width='100%' height='100%' fill='#010203'/>") == 1);
  BOOST_TEST(count(text, "<style>") == 0);  // no colour of the palette: it is the same on dark screens
}

BOOST_AUTO_TEST_CASE(dark_screens_change_the_colours_that_occur_and_no_others) {
  Svg svg(10, 10);
  svg.line({0, 0}, {5, 5}, {.colour = palette::kBlue});
  const std::string text = svg.str();
  BOOST_TEST(count(text, "@media(prefers-color-scheme:dark)") == 1);
  BOOST_TEST(count(text, "[stroke='#1c5688']{stroke:#") == 1);
  BOOST_TEST(count(text, "[fill='#fdfcf9']{fill:#") == 1);
  BOOST_TEST(count(text, "]{") == 2);
}

BOOST_AUTO_TEST_CASE(shapes_are_written_with_their_paint) {
  BOOST_TEST(drawn([](Svg& svg) {
               svg.rectangle({1, 2, 3, 4, 1.5}, {palette::kRed, 0.5});
             }) == "<rect x='1.0' y='2.0' width='3.0' height='4.0' rx='1.5' fill-opacity='0.50' fill='#b3261e'/>\n");
  BOOST_TEST(drawn([](Svg& svg) {
               svg.frame({0, 0, 10, 10}, {.width = 2});
             }) ==
             "<rect x='1.0' y='1.0' width='8.0' height='8.0' fill='none' stroke-width='2' stroke-linecap='round' "
             "stroke='#27313c'/>\n");
  BOOST_TEST(drawn([](Svg& svg) {
               svg.polygon({{0, 0}, {2, 0}, {1, 1}}, palette::kInk);
             }) == "<path d='M0.0 0.0L2.0 0.0L1.0 1.0Z' fill='#27313c'/>\n");
  BOOST_TEST(drawn([](Svg& svg) {
               svg.spline({{0, 0}, {1, 0}, {1, 1}, {2, 1}}, {.dashed = true});
             }) ==
             "<path d='M0.0 0.0C1.0 0.0 1.0 1.0 2.0 1.0' fill='none' stroke-width='1' stroke-linecap='butt' "
             "stroke-dasharray='4 3' stroke='#27313c'/>\n");
}

BOOST_AUTO_TEST_CASE(a_curve_leaves_gaps_and_a_lonely_point_is_a_dot) {
  const std::string text = drawn([](Svg& svg) {
    svg.curve({{0, 0}, {1, 1}, {NAN, 2}, {3, 3}, {4, INFINITY}, {5, 5}, {6, 6}}, {});
  });
  BOOST_TEST(count(text, "d='M0.0 0.0L1.0 1.0M3.0 3.0h0M5.0 5.0L6.0 6.0'") == 1);
}

BOOST_AUTO_TEST_CASE(text_has_its_style_and_is_escaped) {
  const std::string text = drawn([](Svg& svg) {
    svg.text({5, 6}, "a < b & \u00e4",
             {.size = 10, .align = Align::right, .weight = 0.2, .alpha = 0.8, .monospaced = true, .upwards = true});
  });
  BOOST_TEST(text ==
             "<text x='5.0' y='6.0' font-size='14' text-anchor='end' transform='rotate(-90 5.0 6.0)' "
             "font-family='ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace' font-weight='600' "
             "fill-opacity='0.80' fill='#27313c'>a &lt; b &amp; \u00e4</text>\n");
  BOOST_TEST(drawn([](Svg& svg) { svg.text({5, 6}, "", {}); }) == "");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_draw_nothing) {
  for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY)})
    BOOST_TEST(drawn([&](Svg& svg) {
                 svg.rectangle({bad, 0, 1, 1}, palette::kInk);
                 svg.frame({0, 0, bad, 1}, {});
                 svg.polygon({{0, 0}, {1, bad}, {1, 1}}, palette::kInk);
                 svg.circle({0, 0}, bad, palette::kInk);
                 svg.line({bad, 0}, {1, 1}, {});
                 svg.spline({{0, 0}, {0, 1}, {bad, 1}, {1, 1}}, {});
                 svg.text({bad, 0}, "text", {});
               }) == "");
}

BOOST_AUTO_TEST_SUITE_END()
