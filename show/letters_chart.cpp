#include "show/letters_chart.h"

#include <algorithm>
#include <numeric>

#include "show/chart.h"
#include "show/svg.h"
#include "system/text.h"

namespace heed {
namespace {

using palette::kAxis, palette::kGrid, palette::kSoft;

constexpr double kMargin = 20, kTop = 84, kRow = 25, kBottom = 90;  // pixels; kBottom: the axis and the legend
constexpr double kGap = 22;                                         // between columns
constexpr double kText = 9;                                         // the size of labels
constexpr double kLettersRoom = 290, kLargestSquare = 17, kLeastSquare = 3, kLeastWithLetter = 10;
constexpr double kLeastPlot = 100;
constexpr double kDot = 4.5, kFaintDot = 3;

double text_width(const std::string& text) { return Picture::text_width(text, kText); }

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// The columns from left to right: names, letters, dots, notes; and what the axis measures.
struct Layout {
  double names = 0, letters = 0, square = 0;  // the right end of the names; the left end of the letters
  double left = 0, right = 0, bottom = 0;     // of the dots
  double width = 0;                           // of the chart; more than was asked for if the letters need it
  std::vector<double> notes = {};             // the right ends of their columns
  double low = 0, high = 1;                   // of the axis

  explicit Layout(const LettersChart& chart) {
    size_t longest = 1;
    for (const LettersRow& row : chart.rows) {
      names = std::max(names, std::round(kMargin + text_width(row.name)));
      longest = std::max(longest, row.letters.size());
    }
    letters = names + kGap;
    square = std::clamp(std::floor(kLettersRoom / double(longest)), kLeastSquare, kLargestSquare);
    left = letters + square * double(longest) + kGap;
    set_notes(chart);
    bottom = kTop + kRow * double(chart.rows.size());
    set_range(chart);
  }

  double x(double value) const { return left + (right - left) * (value - low) / (high - low); }
  double y(size_t row) const { return kTop + kRow * (double(row) + 0.5); }

 private:
  void set_notes(const LettersChart& chart) {  // and with them where the dots end
    std::vector<double> widths;
    for (const LettersRow& row : chart.rows) {
      widths.resize(std::max(widths.size(), row.notes.size()));
      for (size_t k = 0; k < row.notes.size(); k++)
        widths[k] = std::max(widths[k], std::round(text_width(row.notes[k])));
    }
    const double all = std::accumulate(widths.begin(), widths.end(), kGap * double(widths.size()));
    right = std::max(chart.width - kMargin - all, left + kLeastPlot);
    width = right + all + kMargin;
    for (double x = right; const double column : widths) notes.push_back(x += column + kGap);
  }

  void set_range(const LettersChart& chart) {
    std::vector<double> all;
    for (const LettersRow& row : chart.rows) all.insert(all.end(), row.values.begin(), row.values.end());
    for (const double edge : {chart.usual, chart.usual - chart.spread, chart.usual + chart.spread}) all.push_back(edge);
    std::erase_if(all, [](double value) { return !std::isfinite(value); });
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    const double least = all.front(), most = far_end(all);
    const double room = most > least ? 0.06 * (most - least) : 0.5;
    low = least - room, high = most + room;
  }

  // The last value; or, if few lie far behind the others and would squeeze them, where nine tenths lie before.
  static double far_end(const std::vector<double>& sorted) {
    const double least = sorted.front(), usual = sorted[size_t(0.9 * double(sorted.size() - 1))];
    const bool squeezes = sorted.size() >= 10 && usual > least && sorted.back() - least > 2 * (usual - least);
    return squeezes ? usual : sorted.back();
  }
};

Colour colour_of(const LettersChart& chart, char letter) {
  for (size_t i = 0; i < chart.meanings.size(); i++)
    if (chart.meanings[i].letter == letter) return palette::kSeries[i % std::size(palette::kSeries)];
  return palette::kGrey;
}

struct Square {
  Point corner;
  double side;
  char letter;
  double alpha = 1;
};

void draw_square(Canvas& canvas, const LettersChart& chart, const Square& square) {
  const auto& [corner, side, letter, alpha] = square;
  const double edge = side > 6 ? side - 1.5 : side;  // a thin gap if there is room for one
  canvas.rectangle({corner.x, corner.y, edge, edge, side > 6 ? 2.0 : 0.0}, {colour_of(chart, letter), alpha});
  if (side >= kLeastWithLetter)
    canvas.text({corner.x + edge / 2, corner.y + 0.72 * edge}, std::string(1, letter),
                {.size = 0.52 * side, .colour = palette::kBackground, .align = Align::centre, .weight = 0.17});
}

void draw_axis(Canvas& canvas, const Layout& at, const LettersChart& chart) {
  const std::vector<double> ticks = round_numbers(at.low, at.high, std::max(3, int((at.right - at.left) / 90)));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  const int digits = std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 9);  // that all ticks need
  for (const double value : ticks) {
    canvas.line({at.x(value), kTop}, {at.x(value), at.bottom}, {.alpha = kGrid});
    canvas.text({at.x(value), at.bottom + 18}, format("%.*f", digits, value),
                {.size = kText, .align = Align::centre, .alpha = kSoft});
  }
  canvas.line({at.left, at.bottom}, {at.right, at.bottom}, {.alpha = kAxis});
  canvas.text({at.right, at.bottom + 37}, chart.x_label, {.size = kText, .align = Align::right, .alpha = kSoft});
}

void draw_usual(Canvas& canvas, const Layout& at, const LettersChart& chart) {
  const double x = at.x(chart.usual), half = at.x(chart.usual + chart.spread) - x;
  canvas.rectangle({x - half, kTop, 2 * half, at.bottom - kTop}, {palette::kGreen, 0.16});
  canvas.line({x, kTop}, {x, at.bottom}, {.width = 1.6, .colour = palette::kGreen});
}

void draw_row(Canvas& canvas, const Layout& at, const LettersChart& chart, size_t i) {
  const LettersRow& row = chart.rows[i];
  const double y = at.y(i), base = y + kText / 2, faint = row.values.empty() ? 0.5 : 1;
  const TextStyle style{.size = kText, .align = Align::right, .weight = row.strong ? 0.19 : 0.14, .alpha = faint};
  canvas.text({at.names, base}, row.name, style);
  for (size_t k = 0; k < row.letters.size(); k++)
    draw_square(canvas, chart,
                {{at.letters + at.square * double(k), y - at.square / 2}, at.square, row.letters[k], faint});
  for (size_t k = 0; k < row.notes.size(); k++) canvas.text({at.notes[k], base}, row.notes[k], style);
  if (row.values.empty()) return;
  const double mean = mean_of(row.values), end = std::min(at.x(mean), at.right);
  canvas.line({at.letters + at.square * double(row.letters.size()) + 4, y}, {end, y}, {.alpha = kGrid});
  if (row.values.size() > 1)
    for (const double value : row.values)
      if (value <= at.high) canvas.circle({at.x(value), y}, kFaintDot, {palette::kInk, 0.4});
  if (mean > at.high)
    canvas.polygon({{end - 2 * kDot, y - kDot}, {end, y}, {end - 2 * kDot, y + kDot}}, palette::kInk);  // farther on
  else
    canvas.circle({end, y}, kDot, palette::kInk);
}

// What the colours, the line and the band mean.
void draw_legend(Canvas& canvas, const Layout& at, const LettersChart& chart) {
  const double y = at.bottom + kBottom - 24;
  double x = kMargin;
  const auto say = [&](double sign, const std::string& text) {
    canvas.text({x + sign, y + kText / 2}, text, {.size = kText});
    x += sign + std::round(text_width(text)) + 24;
  };
  for (const LetterMeaning& meaning : chart.meanings) {
    draw_square(canvas, chart, {{x, y - kLargestSquare / 2}, kLargestSquare, meaning.letter});
    say(kLargestSquare + 6, meaning.what);
  }
  if (!std::isfinite(chart.usual)) return;
  canvas.rectangle({x, y - 8, 22, 16}, {palette::kGreen, 0.16});
  canvas.line({x + 11, y - 8}, {x + 11, y + 8}, {.width = 1.6, .colour = palette::kGreen});
  say(30, chart.usual_name);
}

void draw(Canvas& canvas, const Layout& at, const LettersChart& chart) {
  canvas.text({kMargin, 32}, chart.title, {.size = 14, .weight = 0.17});
  canvas.text({kMargin, 52}, chart.subtitle, {.size = kText, .alpha = kSoft});
  draw_axis(canvas, at, chart);
  draw_usual(canvas, at, chart);
  for (size_t i = 0; i < chart.rows.size(); i++) draw_row(canvas, at, chart, i);
  draw_legend(canvas, at, chart);
}

}  // namespace

Picture draw_letters_chart(const LettersChart& chart) {
  const Layout at(chart);
  Picture picture(long(at.width), long(at.bottom + kBottom));
  draw(picture, at, chart);
  return picture;
}

std::string letters_chart_svg(const LettersChart& chart) {
  const Layout at(chart);
  Svg svg(at.width, at.bottom + kBottom);
  draw(svg, at, chart);
  return svg.str();
}

}  // namespace heed
