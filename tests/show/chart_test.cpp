// Charts: round numbers on the axes, and curves of any kind without a crash.
#include "show/chart.h"

#include <cmath>

#include "tests/show/xml.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(chart_test)

namespace {

using Numbers = std::vector<double>;

Chart chart_of(const std::vector<Point>& points) {
  return {.title = "a < b & \"c\"", .x_label = "step", .y_label = "bits", .series = {{"a <name>", points}}};
}

// The data of the first curve.
std::string path_of(const std::string& svg) {
  const size_t begin = svg.find("<path d='") + 9;
  return svg.substr(begin, svg.find('\'', begin) - begin);
}

std::string checked_svg(const Chart& chart) {
  const std::string svg = chart_svg(chart);
  BOOST_TEST(xml_problem(svg) == "");
  BOOST_TEST(svg.find("nan") == std::string::npos);
  BOOST_TEST(svg.find("inf") == std::string::npos);
  BOOST_TEST(draw_chart(chart).width() == 900);
  return svg;
}

}  // namespace

BOOST_AUTO_TEST_CASE(round_numbers_are_round_and_inside) {
  BOOST_TEST((round_numbers(0, 2000, 4) == Numbers{0, 500, 1000, 1500, 2000}));
  BOOST_TEST((round_numbers(-1, 1, 4) == Numbers{-1, -0.5, 0, 0.5, 1}));
  BOOST_TEST((round_numbers(3, 17, 5) == Numbers{5, 10, 15}));
  BOOST_TEST((round_numbers(0, 1, 0) == Numbers{0, 1}));
  for (const double size : {1e-9, 0.37, 1.0, 7.7, 123456.0, 1e12}) {
    const Numbers list = round_numbers(size, 3 * size, 6);
    BOOST_TEST(list.size() >= 3u);
    BOOST_TEST(list.size() <= 8u);
    for (const double x : list) BOOST_TEST((x >= size * (1 - 1e-9) && x <= 3 * size * (1 + 1e-9)));
  }
}

BOOST_AUTO_TEST_CASE(no_round_numbers_where_there_is_no_range) {
  BOOST_TEST(round_numbers(1, 1, 5).empty());
  BOOST_TEST(round_numbers(2, 1, 5).empty());
  BOOST_TEST(round_numbers(NAN, 1, 5).empty());
  BOOST_TEST(round_numbers(0, INFINITY, 5).empty());
  BOOST_TEST(round_numbers(1e17, 1e17 + 16, 5).empty());  // closer than a double tells apart: it must end
}

BOOST_AUTO_TEST_CASE(a_chart_has_its_texts_and_a_curve_for_each_series) {
  Chart chart = chart_of({{0, 1}, {1, 2}, {2, 1.5}});
  chart.series.push_back({"another", {{0, 2}, {2, 1}}, true});
  const std::string svg = checked_svg(chart);
  BOOST_TEST(svg.find("a &lt; b &amp; ") != std::string::npos);
  BOOST_TEST(svg.find("a &lt;name&gt;</text>") != std::string::npos);
  BOOST_TEST(count(svg, "<path ") == 4);  // with those of the legend
  BOOST_TEST(count(path_of(svg), "L") == 2);
}

BOOST_AUTO_TEST_CASE(empty_series_and_single_points_are_drawn) {
  BOOST_TEST(path_of(checked_svg(chart_of({}))) == "");
  BOOST_TEST(count(path_of(checked_svg(chart_of({{5, 3}}))), "M") == 1);
  BOOST_TEST(count(path_of(checked_svg(chart_of({{5, 3}, {5, 3}}))), "L") == 1);
  Chart none = chart_of({});
  none.series.clear();
  BOOST_TEST(count(checked_svg(none), "<path ") == 0);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_leaves_a_gap) {
  const std::string path =
      path_of(checked_svg(chart_of({{0, 1}, {1, 2}, {2, NAN}, {3, 1}, {NAN, 1}, {4, INFINITY}, {5, 2}})));
  BOOST_TEST(count(path, "M") == 3);
  BOOST_TEST(count(path, "L") == 1);
  BOOST_TEST(path_of(checked_svg(chart_of({{0, NAN}, {1, NAN}}))) == "");
}

BOOST_AUTO_TEST_CASE(a_high_start_does_not_squeeze_the_rest) {
  std::vector<Point> points = {{0, 1000}};
  for (int i = 1; i <= 20; i++) points.push_back({double(i), 2 - 0.05 * i});
  const std::string svg = checked_svg(chart_of(points));
  BOOST_TEST(svg.find(">1.4</text>") != std::string::npos);
  BOOST_TEST(svg.find(">500</text>") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_logarithmic_axis_has_room_for_all_and_round_numbers) {
  Chart chart = chart_of({{0, 1000}, {1, 10}, {2, 0}, {3, 0.1}, {4, -1}, {5, 0.1}});
  chart.logarithmic = true;
  const std::string svg = checked_svg(chart), path = path_of(svg);
  BOOST_TEST(count(path, "M") == 3);  // what is not positive leaves a gap
  BOOST_TEST(count(path, "L") == 1);
  for (const char* power : {">0.1</text>", ">1</text>", ">10</text>", ">100</text>", ">1000</text>"})
    BOOST_TEST(count(svg, power) >= 1, power);
  chart.series[0].points = {{100, 0.6}, {200, 0.04}};
  for (const char* number : {">0.05</text>", ">0.1</text>", ">0.2</text>", ">0.5</text>"})
    BOOST_TEST(count(checked_svg(chart), number) == 1, number);
}

BOOST_AUTO_TEST_CASE(a_logarithmic_axis_bears_any_values) {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {1}, {0, -1, NAN}, {1e-300, 1e300}, {0.5, INFINITY, 0.4}, {0.3, 0.3}}) {
    Chart chart = chart_of({});
    chart.logarithmic = true;
    for (const double y : values) chart.series[0].points.push_back({double(chart.series[0].points.size()), y});
    checked_svg(chart);
  }
}

BOOST_AUTO_TEST_CASE(curves_stay_in_the_box_they_are_given) {
  Picture picture(300, 200);
  Chart chart{.x_label = "step", .series = {{"", {{1, 3}, {50, 1}, {123456, 2}}}}};
  draw_curves(picture, {50, 20, 200, 150}, chart);
  picture.rectangle({47, 12, 206, 162}, palette::kBackground);  // a number is half a line higher than its grid line
  for (long y = 0; y < 200; y++)
    for (long x = 0; x < 300; x++) BOOST_REQUIRE((picture.at(x, y) == palette::kBackground));
}

BOOST_AUTO_TEST_CASE(what_lies_far_above_is_not_drawn_along_the_edge) {
  std::vector<Point> points;
  for (long i = 0; i < 100; i++) points.push_back({double(i), i < 5 || i == 50 ? 1000.0 : 10 - 0.1 * double(i)});
  const std::string path = path_of(checked_svg(chart_of(points)));
  BOOST_TEST(count(path, "M") + count(path, "L") == 96);  // of the first five the last one stays, and so does the peak
  BOOST_TEST(count(path, "M") == 1);
}

BOOST_AUTO_TEST_CASE(a_whole_axis_shows_the_highest_value) {
  Chart chart = chart_of({{0, 1}, {1, 1}, {2, 1}, {3, 9}});
  const std::string cut = path_of(checked_svg(chart));
  chart.whole = true;
  BOOST_TEST(path_of(checked_svg(chart)) != cut);
  BOOST_TEST(checked_svg(chart).find(">8<") != std::string::npos);  // on the axis
}

BOOST_AUTO_TEST_CASE(a_doubling_axis_has_a_tick_at_every_power_of_two) {
  Chart chart{.doubling = true, .rising = true};
  chart.series.push_back({"time", {{512, 1}, {1024, 2}, {2048, 4}, {16384, 8}}});
  chart.series.push_back({"here", {{1024, 2}}, false, true});
  const std::string svg = checked_svg(chart);
  for (const char* tick : {">512<", ">1K<", ">2K<", ">4K<", ">8K<", ">16K<"}) BOOST_TEST(count(svg, tick) == 1, tick);
  BOOST_TEST(count(svg, "<circle") == 2);  // the dot, and the one of the legend
  BOOST_TEST(svg.find("text-anchor='start' fill='#27313c'>time<") != std::string::npos, svg);
}

BOOST_AUTO_TEST_SUITE_END()
