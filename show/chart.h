// Chart: curves over a common x axis, as a picture (PNG) and as SVG for pages.
//
//   Chart chart{.title = "enwik8", .x_label = "step", .y_label = "bits per byte"};
//   chart.series.push_back({"training", points});
//   draw_chart(chart).write_png("runs/mine/loss.png");
//   write_file("runs/mine/loss.svg", chart_svg(chart));
#pragma once

#include <string>
#include <vector>

#include "show/picture.h"

namespace heed {

struct Series {
  std::string name;
  std::vector<Point> points;  // x and y in the chart's units, x rising; NaN leaves a gap
  bool faint = false;         // a noisy curve behind the others
};

struct Chart {
  std::string title, subtitle = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};  // each has a colour of its own and a line in the legend
  double width = 900, height = 480;
};

// The y axis begins near the lowest value and ends where nine tenths of the values lie below: a loss that starts high
// does not squeeze the rest. What lies above runs along the upper edge.
Picture draw_chart(const Chart& chart);
std::string chart_svg(const Chart& chart);

// About `count` round numbers from low to high: 0, 500, 1000, ... None if low is not below high.
std::vector<double> round_numbers(double low, double high, int count);

}  // namespace heed
