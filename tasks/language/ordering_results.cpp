#include "tasks/language/ordering_results.h"

#include <algorithm>
#include <numeric>

#include "models/sublayer.h"
#include "system/error.h"
#include "system/text.h"
#include "train/checkpoint_files.h"

namespace heed {
namespace {

double mean_of(const std::vector<double>& values) {
  return values.empty() ? NAN : std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// Of a sample: sqrt(sum (x - mean)^2 / (n - 1))
double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return NAN;
  double squares = 0;
  for (const double x : values) squares += (x - mean_of(values)) * (x - mean_of(values));
  return std::sqrt(squares / double(values.size() - 1));
}

OrderingRow& row_of(OrderingResults& results, const OrderingRun& run) {
  for (OrderingRow& row : results.rows)
    if (row.name == run.name) return row;
  return results.rows.emplace_back(OrderingRow{run.name, run.letters, run.baseline, run.parameters});
}

bool better(const OrderingRow& a, const OrderingRow& b) {
  if (a.scores.empty() || b.scores.empty()) return !a.scores.empty() && b.scores.empty();
  return a.mean() < b.mean();
}

// Each letter that occurs, with what it stands for; those of the usual transformer first.
std::vector<LetterMeaning> meanings_of(const OrderingResults& results) {
  std::string letters = "sf";
  for (const OrderingRow& row : results.rows) letters += row.letters;
  std::vector<LetterMeaning> list;
  for (const char letter : letters) {
    const auto is_there = [&](const LetterMeaning& each) { return each.letter == letter; };
    if (std::any_of(list.begin(), list.end(), is_there)) continue;
    list.push_back({letter, sublayer_kinds("orderings", std::string(1, letter)).front()->what});
  }
  return list;
}

// At the right end of a row of the chart.
std::vector<std::string> notes_of(const OrderingResults& results, const OrderingRow& row) {
  if (row.scores.empty()) return {"", "to come"};
  const double difference = results.difference(row);
  const std::string score = format("%.4f", row.mean());
  if (row.baseline) return {score, std::isfinite(results.spread) ? format("sd %.4f", results.spread) : ""};
  return {score, std::isfinite(difference) ? format("%+.1f sd", difference) : ""};
}

const OrderingRow& baseline_of(const OrderingResults& results) {
  const auto is_baseline = [](const OrderingRow& row) { return row.baseline; };
  return *std::find_if(results.rows.begin(), results.rows.end(), is_baseline);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

double OrderingRow::mean() const { return mean_of(scores); }

double OrderingResults::difference(const OrderingRow& row) const {
  return spread > 0 ? (row.mean() - mean) / spread : NAN;
}

long OrderingResults::missing() const {
  return std::accumulate(rows.begin(), rows.end(), 0L,
                         [](long sum, const OrderingRow& row) { return sum + long(row.missing.size()); });
}

double finished_score(const std::string& run, long last_step) {
  const CheckpointFiles files(run);
  const std::vector<CheckpointFile> list = files.list();
  if (list.empty() || list.back().step != last_step) return NAN;
  try {
    const auto numbers = read_checkpoint_summary(list.back().path).numbers;
    const auto found = numbers.find(kValidBpc);
    return found == numbers.end() ? NAN : found->second;
  } catch (const Error&) {  // it is damaged: the run goes on from an older one
    return NAN;
  }
}

OrderingResults ordering_results(const std::string& folder, const PlannedRuns& planned, const LmSettings& settings) {
  OrderingResults results{.folder = folder, .settings = settings};
  for (const OrderingRun& run : planned.runs) {
    results.runs.push_back(run.folder());
    OrderingRow& row = row_of(results, run);
    const double score = finished_score(folder + "/" + run.folder(), schedule_of(settings).steps());
    std::isfinite(score) ? row.scores.push_back(score) : row.missing.push_back(run.folder());
    if (row.baseline) results.mean = row.mean(), results.spread = standard_deviation(row.scores);
  }
  std::stable_sort(results.rows.begin(), results.rows.end(), better);
  return results;
}

LettersChart results_chart(const OrderingResults& results) {
  const LmSettings& s = results.settings;
  const long seeds = long(baseline_of(results).scores.size());
  LettersChart chart{
      .title = "Orderings of " + std::to_string(s.layers) + (s.layers == 1 ? " layer" : " layers"),
      .subtitle = format("%ld steps of %ld x %ld bytes for every run", schedule_of(s).steps(), s.batch, s.context),
      .x_label = "bits per byte, validation: less is better",
      .meanings = meanings_of(results),
      .usual = results.mean,
      .spread = results.spread};
  chart.usual_name = "interleaved: " + (seeds > 1 ? "mean of " + std::to_string(seeds) +
                                                        " seeds, and their standard deviation (sd) on both sides"
                                                  : "a single seed");
  for (const OrderingRow& row : results.rows)
    chart.rows.push_back({row.name, row.letters, row.scores, notes_of(results, row), row.baseline});
  return chart;
}

Json results_json(const OrderingResults& results) {
  Json rows = Json::array();
  for (const OrderingRow& row : results.rows) {
    Json scores = Json::array(), missing = Json::array();
    for (const double score : row.scores) scores.push_back(score);
    for (const std::string& folder : row.missing) missing.push_back(folder);
    rows.push_back(Json::Object{{"name", row.name},
                                {"letters", row.letters},
                                {"baseline", row.baseline},
                                {"parameters", row.parameters},
                                {"valid_bpc", number(row.mean())},
                                {"difference", number(results.difference(row))},
                                {"scores", scores},
                                {"missing", missing}});
  }
  return Json::Object{{"event", "orderings"},
                      {"run", results.folder},
                      {"runs", long(results.runs.size())},
                      {"missing", results.missing()},
                      {"mean", number(results.mean)},
                      {"spread", number(results.spread)},
                      {"orderings", rows}};
}

}  // namespace heed
