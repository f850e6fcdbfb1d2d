// Chart: curves over a common x axis, as a picture (PNG), as SVG for pages, or as a part of another picture.
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
  std::string name;           // for the legend; without one it is not there
  std::vector<Point> points;  // x and y in the chart's units, x rising; NaN leaves a gap
  bool faint = false;         // a noisy curve behind the others
  bool dots = false;          // dots in place of a curve
};

struct Chart {
  std::string title = {}, subtitle = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};  // each has a colour of its own
  double width = 900, height = 480;
  bool logarithmic = false;  // the y axis; values that are not positive leave a gap
  bool whole = false;        // the y axis has room for all values
  bool doubling = false;     // the x axis goes by powers of two; x is above 0
  bool rising = false;       // the curves rise: the legend is at the left
};

// The y axis begins near the lowest value and ends where nine tenths of the values lie below: a loss that starts high
// does not squeeze the rest. What lies above the end is left away. A logarithmic axis, or one
// that is to be whole, has room for all values.
Picture draw_chart(const Chart& chart);
std::string chart_svg(const Chart& chart);

// Axes, curves and legend inside of a box of any canvas; titles, sizes and the y label are the caller's.
void draw_curves(Canvas& canvas, const Box& box, const Chart& chart);

// About `count` round numbers from low to high: 0, 500, 1000, ... None if low is not below high.
std::vector<double> round_numbers(double low, double high, int count);

}  // namespace heed
