// The report as a picture: one bar per case, to the right of the line at 1 where we are faster than the peer. It looks
// right on light and on dark pages.
#include <algorithm>
#include <cmath>

#include "bench/report.h"
#include "show/svg.h"
#include "system/text.h"

namespace heed::bench {
namespace {

constexpr double kWidth = 940, kLeft = 290, kRight = 170, kTop = 74, kRow = 21, kGroup = 34, kBottom = 58;  // pixels
constexpr double kBarHeight = 12;

constexpr double kText = 9, kSmall = 8.2;  // sizes
constexpr TextStyle kSoft{.size = kSmall, .alpha = 0.75};

struct Row {
  std::string group, name, label, speed;
  double value, low, high, bar;  // bar: what is demanded; 0: nothing
  double y = kTop;               // its upper edge
  bool first = true;             // of its group, whose name stands above it
};

// Ratios on a logarithmic axis around 1, or shares on a linear one from 0.
struct Axis {
  bool ratios;
  double low, high;

  double x(double value) const {
    const auto place = [&](double v) { return ratios ? std::log(v) : v; };
    const double part = (place(std::clamp(value, low, high)) - place(low)) / (place(high) - place(low));
    return kLeft + part * (kWidth - kLeft - kRight);
  }
  double foot() const { return ratios ? 1 : 0; }  // where bars begin
  std::vector<double> ticks() const {
    std::vector<double> list;
    for (double t = low; t <= high * 1.001; ratios ? t *= 2 : t += 0.25) list.push_back(t);
    return list;
  }
  std::string label(double tick) const {
    if (!ratios) return format("%.0f%%", 100 * tick);
    return tick < 1 ? format("1/%.0fx", 1 / tick) : format("%.0fx", tick);
  }
};

std::vector<Row> rows_of(const Report& report, bool ratios) {
  std::vector<Row> rows;
  for (const Result& r : report.results) {
    if (r.work.group == "machine") continue;
    if (ratios && r.has_peer())
      rows.push_back({r.work.group, r.work.name, ratio_text(r.ratio.middle),
                      r.has_speed() ? speed_text(r.work, r.speed()) : time_text(r.ours.middle), r.ratio.middle,
                      r.ratio.low, r.ratio.high, r.work.bar.ratio});
    if (!ratios && r.limit > 0)
      rows.push_back({r.work.group, r.work.name, format("%.0f%%", 100 * r.share()), speed_text(r.work, r.speed()),
                      r.share(), r.share() * r.ours.middle / r.ours.high, r.share() * r.ours.middle / r.ours.low,
                      r.work.bar.share});
  }
  return rows;
}

Axis axis_of(const std::vector<Row>& rows, bool ratios) {
  Axis axis{ratios, ratios ? 0.5 : 0, ratios ? 4.0 : 1.0};
  constexpr double kFarthest = 64;  // beyond it the bar is cut, and the number tells
  for (const Row& row : rows) {
    while (ratios && axis.low > std::max(row.value, 1 / kFarthest)) axis.low /= 2;
    while (!ratios && axis.high < std::min(row.value, 1.5)) axis.high += 0.25;
    while (ratios && axis.high < std::min(std::max(row.value, row.bar), kFarthest)) axis.high *= 2;
  }
  return axis;
}

// Where each row is; returns where they end.
double place(std::vector<Row>& rows) {
  double y = kTop;
  for (size_t i = 0; i < rows.size(); i++) {
    rows[i].first = i == 0 || rows[i].group != rows[i - 1].group;
    rows[i].y = y += rows[i].first ? kGroup : 0;
    y += kRow;
  }
  return y;
}

// Right above the names; from the left edge on if it is longer than they may be, and cut where the picture ends.
void draw_group(Canvas& canvas, const std::string& group, double y) {
  constexpr size_t kLongestName = 46, kLongest = 130;  // letters
  const bool wide = group.size() > kLongestName;
  const std::string text = group.size() > kLongest ? group.substr(0, kLongest - 3) + "..." : group;
  canvas.text({wide ? 16 : kLeft - 12, y}, text,
              {.size = kText, .align = wide ? Align::left : Align::right, .weight = 0.2});
}

void draw(Canvas& canvas, const Row& row, const Axis& axis) {
  const bool good = row.value >= (axis.ratios && row.bar == 0 ? 1 : row.bar);
  const double y = row.y;
  if (row.first) draw_group(canvas, row.group, y - kGroup + 20);
  const double from = axis.x(axis.foot()), to = axis.x(row.value), middle = y + kBarHeight / 2, base = y + 10.5;
  canvas.text({kLeft - 12, base}, row.name, {.size = kText, .align = Align::right});
  canvas.rectangle({std::min(from, to), y, std::max(std::abs(to - from), 1.0), kBarHeight, 1.5},
                   good ? palette::kGreen : palette::kOrange);
  canvas.line({axis.x(row.low), middle}, {axis.x(row.high), middle}, {.alpha = 0.55});
  if (row.bar > 0) canvas.line({axis.x(row.bar), y - 3}, {axis.x(row.bar), y + kBarHeight + 3}, {.width = 2});
  canvas.text({kWidth - kRight + 54, base}, row.label, {.size = kText, .align = Align::right});
  canvas.text({kWidth - kRight + 68, base}, row.speed, kSoft);
}

void draw_grid(Canvas& canvas, const Axis& axis, double bottom) {
  for (const double tick : axis.ticks()) {
    const Stroke one{.width = 1.5, .alpha = palette::kAxis}, other{.alpha = palette::kGrid};
    canvas.line({axis.x(tick), kTop - 6}, {axis.x(tick), bottom}, tick == 1 ? one : other);
    canvas.text({axis.x(tick), bottom + 16}, axis.label(tick),
                {.size = kSmall, .align = Align::centre, .alpha = kSoft.alpha});
  }
}

std::string legend(const Report& report) {
  const bool ratios = !report.peer.empty();
  std::string text = std::string("thick tick: what is demanded; orange: less than that") +
                     (ratios ? ", or slower than the peer" : "") + "; thin line: quartiles of all turns";
  if (report.others > kDisturbed) text += format("; %.1f cores were busy with other programs!", report.others);
  return text;
}

}  // namespace

std::string svg(const Report& report) {
  const bool ratios = !report.peer.empty();
  std::vector<Row> rows = rows_of(report, ratios);
  const Axis axis = axis_of(rows, ratios);
  const double bottom = place(rows);
  Svg picture(kWidth, bottom + kBottom);
  picture.text({16, 28},
               ratios ? "heed against " + report.peer_name + ": how many times as fast"
                      : "heed: share of what the machine can do",
               {.size = 12, .weight = 0.2});
  picture.text({16, 48}, report.machine + (ratios ? "; " + report.peer : ""), kSoft);
  draw_grid(picture, axis, bottom + 2);
  for (const Row& row : rows) draw(picture, row, axis);
  picture.text({16, bottom + kBottom - 14}, legend(report), kSoft);
  return picture.str();
}

}  // namespace heed::bench
