// Rows of letters with dots: every letter a square of its colour, every value in its place, and nothing breaks them.
#include "show/letters_chart.h"

#include "system/text.h"
#include "tests/show/xml.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(letters_chart_test)

namespace {

LettersChart chart_of(const std::vector<LettersRow>& rows) {
  return {.title = "a < b",
          .x_label = "bits & bytes",
          .rows = rows,
          .meanings = {{'s', "attention"}, {'f', "feed-forward"}}};
}

std::string checked_svg(const LettersChart& chart) {
  const std::string svg = letters_chart_svg(chart);
  BOOST_TEST(xml_problem(svg) == "");
  BOOST_TEST(svg.find("nan") == std::string::npos);
  BOOST_TEST(svg.find("inf") == std::string::npos);
  BOOST_TEST(draw_letters_chart(chart).width() >= long(chart.width));
  return svg;
}

std::string fill(Colour colour) { return "fill='" + hex(colour) + "'/>"; }

// The x of every full dot, from top to bottom.
std::vector<double> dots(const std::string& svg) {
  std::vector<double> list;
  for (size_t at = 0; (at = svg.find("<circle cx='", at)) != std::string::npos; at += 12)
    if (svg.substr(at, svg.find('>', at) - at).find("opacity") == std::string::npos)
      list.push_back(number_in<double>(svg.substr(at + 12, svg.find('\'', at + 12) - at - 12)).value());
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_letter_is_a_square_in_the_colour_of_its_meaning) {
  const std::string svg = checked_svg(chart_of({{.name = "<one>", .letters = "ssfx", .values = {1}}}));
  BOOST_TEST(count(svg, fill(palette::kSeries[0])) == 2 + 1);  // with that of the legend
  BOOST_TEST(count(svg, fill(palette::kSeries[1])) == 1 + 1);
  BOOST_TEST(count(svg, fill(palette::kGrey)) == 1);  // means nothing here
  BOOST_TEST(count(svg, ">s</text>") == 3);
  for (const char* text : {"&lt;one&gt;</text>", "a &lt; b</text>", "bits &amp; bytes</text>", ">attention</text>"})
    BOOST_TEST(count(svg, text) == 1, text);
}

BOOST_AUTO_TEST_CASE(dots_stand_where_their_values_are) {
  const std::vector<double> at = dots(checked_svg(chart_of({{.name = "a", .letters = "sf", .values = {1}},
                                                            {.name = "b", .letters = "fs", .values = {3}},
                                                            {.name = "c", .letters = "ff", .values = {1.5}}})));
  BOOST_TEST_REQUIRE(at.size() == 3u);
  BOOST_TEST(std::abs((at[2] - at[0]) / (at[1] - at[0]) - 0.25) < 0.01);
}

BOOST_AUTO_TEST_CASE(several_values_are_faint_dots_and_a_full_one_at_their_mean) {
  const std::string svg = checked_svg(chart_of({{.name = "a", .letters = "sf", .values = {1, 2, 6}, .strong = true},
                                                {.name = "b", .letters = "fs", .values = {3}}}));
  BOOST_TEST(count(svg, "<circle ") == 3 + 1 + 1);
  const std::vector<double> at = dots(svg);
  BOOST_TEST_REQUIRE(at.size() == 2u);
  BOOST_TEST(at[0] == at[1]);
  BOOST_TEST(count(svg, " font-weight='600' fill='" + hex(palette::kInk) + "'>a</text>") == 1);
}

BOOST_AUTO_TEST_CASE(what_is_usual_is_a_line_and_a_band_with_a_name) {
  LettersChart chart = chart_of({{.name = "a", .letters = "sf", .values = {1}}});
  chart.usual_name = "the usual";
  BOOST_TEST(count(checked_svg(chart), "the usual") == 0);
  const long lines = count(checked_svg(chart), "<line ");
  chart.usual = 1.1;
  BOOST_TEST(count(checked_svg(chart), "the usual</text>") == 1);
  BOOST_TEST(count(checked_svg(chart), fill(palette::kGreen)) == 1);  // no band is known: only the legend's
  BOOST_TEST(count(checked_svg(chart), "stroke='" + hex(palette::kGreen) + "'/>") == 2);
  chart.spread = 0.2;
  BOOST_TEST(count(checked_svg(chart), fill(palette::kGreen)) == 2);
  BOOST_TEST(count(checked_svg(chart), "<line ") > lines);
}

BOOST_AUTO_TEST_CASE(a_row_without_values_is_faint_and_has_no_dot) {
  const std::string svg =
      checked_svg(chart_of({{.name = "a", .letters = "sf", .notes = {"", "to come"}}, {.name = "b", .letters = "s"}}));
  BOOST_TEST(count(svg, "<circle ") == 0);
  BOOST_TEST(count(svg, " fill-opacity='0.50' fill='" + hex(palette::kInk) + "'>to come</text>") == 1);
}

BOOST_AUTO_TEST_CASE(what_lies_far_behind_the_others_is_an_arrow_and_does_not_squeeze_them) {
  std::vector<LettersRow> rows;
  for (int i = 0; i < 10; i++) rows.push_back({.name = "a", .letters = "sf", .values = {2 + 0.01 * i}});
  BOOST_TEST(dots(checked_svg(chart_of(rows))).size() == 10u);
  const auto reach = [&] {
    const std::vector<double> at = dots(checked_svg(chart_of(rows)));
    return at[9] - at[0];
  };
  const double before = reach();
  rows.push_back({.name = "a", .letters = "fs", .values = {7}});
  BOOST_TEST(dots(checked_svg(chart_of(rows))).size() == 10u);
  BOOST_TEST(count(checked_svg(chart_of(rows)), "Z' fill='" + hex(palette::kInk)) == 1);
  BOOST_TEST(reach() == before);
  rows.back().values = {2.15};  // not far
  BOOST_TEST(dots(checked_svg(chart_of(rows))).size() == 11u);
}

BOOST_AUTO_TEST_CASE(ticks_have_the_digits_that_they_need) {
  const std::string svg = checked_svg(
      chart_of({{.name = "a", .letters = "s", .values = {2.101}}, {.name = "b", .letters = "s", .values = {2.2}}}));
  for (const char* tick : {">2.10</text>", ">2.12</text>", ">2.20</text>"}) BOOST_TEST(count(svg, tick) == 1, tick);
  const std::string large = checked_svg(
      chart_of({{.name = "a", .letters = "s", .values = {0}}, {.name = "b", .letters = "s", .values = {4000}}}));
  BOOST_TEST(count(large, ">2000</text>") == 1);
}

BOOST_AUTO_TEST_CASE(any_number_of_rows_letters_and_values_is_drawn) {
  checked_svg(chart_of({}));
  checked_svg(chart_of({{.name = "", .letters = ""}}));
  checked_svg(chart_of({{.name = "a", .letters = "sf", .values = {NAN}}}));
  checked_svg(chart_of({{.name = "a", .letters = "sf", .values = {INFINITY, 1}}}));
  checked_svg(chart_of({{.name = "a", .letters = "sf", .values = {1, 1}, .notes = {"1", "2", "3"}}}));
  const LettersChart wide = chart_of({{.name = "a", .letters = std::string(2000, 's'), .values = {1, 2}}});
  checked_svg(wide);
  BOOST_TEST(draw_letters_chart(wide).width() > 6000);  // wider than asked for: no letter is left out
  BOOST_TEST(count(letters_chart_svg(wide), fill(palette::kSeries[0])) == 2001);
}

BOOST_AUTO_TEST_SUITE_END()
