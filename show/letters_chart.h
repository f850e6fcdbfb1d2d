// LettersChart: words of coloured letters, one in a row, and what each is worth as a dot on an axis that all rows have
// in common: orders of sublayers and their bits per byte, say. A line and a band behind the dots show what is usual.
//
//   LettersChart chart{.title = "Orderings", .x_label = "bits per byte", .meanings = {{'s', "attention"}}};
//   chart.rows.push_back({.name = "sandwich:1", .letters = "ssff", .values = {2.31}, .notes = {"2.310"}});
//   draw_letters_chart(chart).write_png("runs/orderings/orderings.png");
//   write_file("runs/orderings/orderings.svg", letters_chart_svg(chart));
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "show/picture.h"

namespace heed {

struct LettersRow {
  std::string name, letters = {};
  std::vector<double> values = {};      // several: a faint dot each, and a full one at their mean; none: no dot
  std::vector<std::string> notes = {};  // columns at the right end
  bool strong = false;                  // in bold: what the others are compared with
};

struct LetterMeaning {
  char letter;
  std::string what;  // for the legend
};

struct LettersChart {
  std::string title = {}, subtitle = {}, x_label = {};
  std::vector<LettersRow> rows = {};         // from top to bottom; the height follows from them
  std::vector<LetterMeaning> meanings = {};  // each letter has a colour of its own; one that is not here is grey
  double usual = NAN, spread = NAN;          // the line, and how far the band goes on both sides; NaN: there is none
  std::string usual_name = {};               // of the line and the band, for the legend
  double width = 940;
};

// The axis has room for all values, unless few lie far to the right of the others: they would squeeze the rest, and are
// arrows at its end.
Picture draw_letters_chart(const LettersChart& chart);
std::string letters_chart_svg(const LettersChart& chart);

}  // namespace heed
