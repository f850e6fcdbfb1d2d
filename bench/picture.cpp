// The report as a picture: one bar per case, to the right of the line at 1 where we are faster than the peer. It looks
// right on light and on dark pages.
#include <algorithm>
#include <cmath>

#include "bench/report.h"
#include "system/text.h"

namespace heed::bench {
namespace {

constexpr double kWidth = 940, kLeft = 290, kRight = 170, kTop = 74, kRow = 21, kGroup = 34, kBottom = 58;  // pixels
constexpr double kBarHeight = 12;

constexpr const char* kStyle =
    "<style>svg{--paper:#fff;--ink:#1f2328;--soft:#68707a;--grid:#d8dde3;--fast:#2e7d55;--slow:#c4600f;--mark:#1f2328}"
    "@media(prefers-color-scheme:dark){svg{--paper:#14181d;--ink:#e6e9ec;--soft:#98a1ab;--grid:#333b44;--fast:#4cae7d;"
    "--slow:#e38a3f;--mark:#e6e9ec}}"
    "text{font:12.5px Helvetica,Arial,'DejaVu Sans',sans-serif;fill:var(--ink)}"
    ".t{font-size:17px;font-weight:600}.s{fill:var(--soft);font-size:11.5px}.g{font-weight:600}"
    ".e{text-anchor:end}.m{text-anchor:middle}"
    ".fast{fill:var(--fast)}.slow{fill:var(--slow)}.grid{stroke:var(--grid)}.one{stroke:var(--soft);stroke-width:1.5}"
    ".mark{stroke:var(--mark);stroke-width:2}.spread{stroke:var(--ink);stroke-width:1;opacity:.55}</style>\n";

std::string text_at(double x, double y, const char* kind, const std::string& text) {
  return format("<text x='%.1f' y='%.1f' class='%s'>", x, y, kind) + xml_text(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return format("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'/>\n", x1, y1, x2, y2, kind);
}

struct Row {
  std::string group, name, label, speed;
  double value, low, high, bar;  // bar: what is demanded; 0: nothing
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
      rows.push_back({r.work.group, r.work.name, ratio_text(r.ratio.middle), speed_text(r.work, r.speed()),
                      r.ratio.middle, r.ratio.low, r.ratio.high, r.work.bar.ratio});
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

std::string draw(const Row& row, const Axis& axis, double y) {
  const bool good = row.value >= (axis.ratios && row.bar == 0 ? 1 : row.bar);
  const double from = axis.x(axis.foot()), to = axis.x(row.value), middle = y + kBarHeight / 2;
  std::string out = text_at(kLeft - 12, y + 10.5, "e", row.name);
  out += format("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='1.5' class='%s'/>\n", std::min(from, to), y,
                std::max(std::abs(to - from), 1.0), kBarHeight, good ? "fast" : "slow");
  out += line(axis.x(row.low), middle, axis.x(row.high), middle, "spread");
  if (row.bar > 0) out += line(axis.x(row.bar), y - 3, axis.x(row.bar), y + kBarHeight + 3, "mark");
  out += text_at(kWidth - kRight + 54, y + 10.5, "e", row.label);
  return out + text_at(kWidth - kRight + 68, y + 10.5, "s", row.speed);
}

std::string draw_grid(const Axis& axis, double bottom) {
  std::string out;
  for (const double tick : axis.ticks()) {
    out += line(axis.x(tick), kTop - 6, axis.x(tick), bottom, tick == 1 ? "one" : "grid");
    out += text_at(axis.x(tick), bottom + 16, "s m", axis.label(tick));
  }
  return out;
}

}  // namespace

std::string svg(const Report& report) {
  const bool ratios = !report.peer.empty();
  const std::vector<Row> rows = rows_of(report, ratios);
  const Axis axis = axis_of(rows, ratios);
  std::string bars, group;
  double y = kTop;
  for (const Row& row : rows) {
    if (row.group != group) {
      bars += text_at(kLeft - 12, y + 20, "g e", row.group);
      y += kGroup;
    }
    group = row.group;
    bars += draw(row, axis, y);
    y += kRow;
  }
  const double height = y + kBottom;
  const std::string title = ratios ? "heed against " + report.peer_name + ": how many times as fast"
                                   : "heed: share of what the machine can do";
  std::string legend = std::string("thick tick: what is demanded; orange: less than that") +
                       (ratios ? ", or slower than the peer" : "") + "; thin line: quartiles of all turns";
  if (report.others > kDisturbed) legend += format("; %.1f cores were busy with other programs!", report.others);
  std::string out = format("<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' ", kWidth, height) +
                    format("viewBox='0 0 %.0f %.0f'>\n", kWidth, height) + kStyle +
                    "<rect width='100%' height='100%' fill='var(--paper)'/>\n" + text_at(16, 28, "t", title);
  out += text_at(16, 48, "s", report.machine + (ratios ? "; " + report.peer : ""));
  return out + draw_grid(axis, y + 2) + bars + text_at(16, height - 14, "s", legend) + "</svg>\n";
}

}  // namespace heed::bench
