// The table and the page of an OrderingSet; what they show is in ordering_results.h.
#include <algorithm>
#include <filesystem>

#include "system/text.h"
#include "system/write_file.h"
#include "tasks/language/ordering_results.h"

namespace heed {
namespace {

using Cells = std::vector<std::string>;

const Cells kHead = {"ordering", "letters", "parameters", "bits per byte", "difference", "in sd"};

std::string or_dash(const char* pattern, double value) { return std::isfinite(value) ? format(pattern, value) : "-"; }

Cells cells_of(const OrderingResults& results, const OrderingRow& row) {
  const std::string seeds = row.scores.size() > 1 ? format(" (%zu seeds)", row.scores.size()) : "";
  return {row.name + seeds,
          row.letters,
          std::to_string(row.parameters),
          or_dash("%.4f", row.mean()),
          row.baseline ? "" : or_dash("%+.4f", row.mean() - results.mean),
          row.baseline ? "" : or_dash("%+.1f", results.difference(row))};
}

Page::Rows rows_of(const OrderingResults& results) {
  Page::Rows rows;
  for (const OrderingRow& row : results.rows) rows.push_back(cells_of(results, row));
  return rows;
}

// What the numbers mean, in sentences.
std::string yardstick(const OrderingResults& results) {
  if (!std::isfinite(results.spread))
    return "How much a seed alone changes is not known yet: it takes two runs of interleaved, the baseline.";
  return format(
      "Interleaved, the baseline: mean %.4f, standard deviation (sd) %.4f: so much a seed alone changes. A "
      "single run that differs by less than 2 sd may do so by chance.",
      results.mean, results.spread);
}

std::string missing_text(const OrderingResults& results) {
  Cells list;
  for (const OrderingRow& row : results.rows) list.insert(list.end(), row.missing.begin(), row.missing.end());
  return format("%ld of %zu runs are still to be trained: ", results.missing(), results.runs.size()) +
         joined(list, ", ") + ".";
}

void add_figures(Page& page, const OrderingResults& results) {
  const OrderingRow& best = results.rows.front();
  page.figures({{or_dash("%.4f", best.mean()), "bits per byte, " + (best.scores.empty() ? "the best" : best.name)},
                {or_dash("%.4f", results.mean), "interleaved, mean"},
                {or_dash("%.4f", results.spread), "its standard deviation"},
                {format("%zu of %zu", results.runs.size() - size_t(results.missing()), results.runs.size()), "runs"}});
}

void add_runs(Page& page, const OrderingResults& results) {
  page.fold("The pages of the runs", false, [&] {
    for (const std::string& run : results.runs)
      if (std::error_code none; std::filesystem::exists(results.folder + "/" + run + "/index.html", none))
        page.link(run + "/index.html", run);
  });
}

}  // namespace

std::string results_text(const OrderingResults& results) {
  Page::Rows rows = rows_of(results);
  rows.insert(rows.begin(), kHead);
  std::vector<size_t> widths(kHead.size());
  for (const Cells& row : rows)
    for (size_t k = 0; k < row.size(); k++) widths[k] = std::max(widths[k], row[k].size());
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); k++) {
      const std::string blanks(widths[k] - row[k].size(), ' ');
      line += (k > 0 ? "  " : "") + (k < 2 ? row[k] + blanks : blanks + row[k]);  // numbers to the right
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + yardstick(results) + "\n";
}

void write_results(const OrderingResults& results, const RunPage& texts) {
  const LettersChart chart = results_chart(results);
  const std::string svg = letters_chart_svg(chart);
  write_file(results.folder + "/orderings.svg", svg);
  draw_letters_chart(chart).write_png(results.folder + "/orderings.png");
  Page page("What the order of sublayers is worth", texts.about);
  add_figures(page, results);
  page.svg(svg);
  page.paragraph(
      "A row is an ordering; where it has several seeds, small dots are single runs and the full one is their "
      "mean. " +
      yardstick(results));
  if (results.missing() > 0) page.paragraph(missing_text(results));
  page.section("Numbers");
  page.table(rows_of(results), kHead);
  add_runs(page, results);
  if (!texts.commands.empty()) {
    page.section("Going on");
    page.commands(texts.commands);
  }
  add_settings(page, to_json(results.settings));
  write_file(results.folder + "/index.html", page.html());
}

}  // namespace heed
