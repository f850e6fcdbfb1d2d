// What `build/bench variants` measured, on the page of a variant: time and memory against the length.
#include <algorithm>
#include <cmath>

#include "demos/attention/atlas.h"
#include "show/chart.h"
#include "system/quantities.h"
#include "system/text.h"

using namespace heed;

namespace {

constexpr double kChartWidth = 460, kChartHeight = 400;

std::vector<Point> points(const Json& row, const char* what, double unit) {
  std::vector<Point> list;
  for (const Json& cell : row.at("cells").items())
    list.push_back({cell.at("n").number(), cell.at(what).number() / unit});
  return list;
}

std::string full_name(const Json& row) { return row.at("causal").truth() ? "full, causal" : "full"; }

// Where the curve is at x, between its points by powers.
double height_at(const std::vector<Point>& curve, double x) {
  for (size_t i = 1; i < curve.size(); i++) {
    const Point a = curve[i - 1], b = curve[i];
    if (x >= a.x && x <= b.x) return a.y * std::pow(b.y / a.y, std::log(x / a.x) / std::log(b.x / a.x));
  }
  return NAN;
}

void add_full(Chart& chart, const Json& row) {
  const auto same = [&](const Series& s) { return s.name == full_name(row); };
  if (std::none_of(chart.series.begin(), chart.series.end(), same))
    chart.series.push_back({full_name(row), points(row, "full_both_seconds", 1)});
}

Chart time_chart(const Json::Array& rows) {
  Chart chart{.title = "Time", .x_label = "tokens", .y_label = "seconds, forward and backward"};
  Series crossings{.name = "crossover", .points = {}, .dots = true};
  for (const Json& row : rows) {
    if (row.at("spec").text() != "full")
      chart.series.push_back({row.at("spec").text(), points(row, "both_seconds", 1)});
    const Json& from = row.at("faster_from");
    const std::vector<Point> full = points(row, "full_both_seconds", 1);
    if (from.is_number() && !full.empty() && from.number() > full[0].x && row.at("spec").text() != "full")
      crossings.points.push_back({from.number(), height_at(full, from.number())});
  }
  for (const Json& row : rows) add_full(chart, row);
  if (!crossings.points.empty()) chart.series.push_back(crossings);
  return chart;
}

Chart memory_chart(const Json::Array& rows) {
  Chart chart{.title = "Memory", .x_label = "tokens", .y_label = "MB alive at most, with q, k, v"};
  for (const Json& row : rows) chart.series.push_back({row.at("spec").text(), points(row, "peak_bytes", 1e6)});
  chart.series.push_back({"q, k, v, o and gradients", points(rows[0], "least_bytes", 1e6)});
  return chart;
}

std::string drawn(Chart chart) {
  chart.width = kChartWidth, chart.height = kChartHeight;
  chart.logarithmic = chart.doubling = chart.rising = chart.whole = true;
  return chart_svg(chart);
}

// One line a length: what each kind takes, and how that is against full attention.
void add_table(Page& page, const Json::Array& rows) {
  std::vector<std::string> head = {"tokens"};
  for (const Json& row : rows) head.push_back(row.at("spec").text());
  std::vector<double> lengths;
  for (const Json& row : rows)
    for (const Point& p : points(row, "both_seconds", 1))
      if (std::find(lengths.begin(), lengths.end(), p.x) == lengths.end()) lengths.push_back(p.x);
  std::sort(lengths.begin(), lengths.end());
  Page::Rows lines;
  for (const double n : lengths) {
    std::vector<std::string> line = {with_commas(std::lround(n))};
    for (const Json& row : rows) {
      std::string text = row.at("stopped").truth() ? "stopped: over 10 s" : "";
      for (const Json& cell : row.at("cells").items())
        if (cell.at("n").number() == n)
          text = time_text(cell.at("both_seconds").number()) + ", " + ratio_text(cell.at("ratio").items()[1].number());
      line.push_back(text);
    }
    lines.push_back(line);
  }
  page.table(lines, head);
}

// How each kind does against full attention at the longest text that both have.
void add_summary(Page& page, const Json::Array& rows) {
  Page::Rows lines;
  for (const Json& row : rows) {
    if (row.at("spec").text() == "full") continue;
    const Json& last = row.at("cells").items().back();
    const double pairs = last.at("pairs").number(), share = last.at("share").number();
    lines.push_back(
        {row.at("spec").text(), faster_text(row),
         ratio_text(last.at("ratio").items()[1].number()) + " at " + with_commas(std::lround(last.at("n").number())),
         pairs > 0 ? format("%.3g%%", 100 * pairs / last.at("full_pairs").number()) : "-",
         share > 0 ? format("%.0f%%", 100 * share) : "-"});
  }
  if (!lines.empty())
    page.table(lines, {"", "faster than full", "speed against full", "of its pairs", "of the speed that these allow"});
}

}  // namespace

std::string faster_text(const Json& row) {
  const Json::Array& cells = row.at("cells").items();
  if (cells.empty()) return "";
  const Json& from = row.at("faster_from");
  if (!from.is_number()) return "nowhere up to " + with_commas(std::lround(cells.back().at("n").number())) + " tokens";
  if (from.number() <= cells[0].at("n").number()) return "at every length";
  return "from " + with_commas(10 * std::lround(from.number() / 10)) + " tokens on";
}

void add_measurements(Page& page, const AtlasEntry& entry) {
  Json::Array rows = entry.bench;
  std::erase_if(rows, [](const Json& row) { return row.at("cells").items().empty(); });
  if (rows.empty()) {
    page.paragraph("Not measured yet: `build/bench variants --json runs/bench/variants.json` does it.");
    return;
  }
  add_summary(page, rows);
  page.side_by_side([&] {
    page.svg(drawn(time_chart(rows)));
    page.svg(drawn(memory_chart(rows)));
  });
  page.fold("All figures: time of forward and backward, and how many times as fast as full attention", false,
            [&] { add_table(page, rows); });
}
