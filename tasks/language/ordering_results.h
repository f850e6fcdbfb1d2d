// What the runs of an OrderingSet have reached so far: a row for each ordering, and the baseline as the yardstick; as a
// table for people, as JSON, as a chart and as a page.
//
//   FOLDER/index.html, orderings.svg, orderings.png    what write_results writes
//   FOLDER/sandwich-1-seed-1/                          a run like any other (train/run_folder.h)
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "show/letters_chart.h"
#include "tasks/language/ordering_set.h"
#include "train/run_page.h"

namespace heed {

struct OrderingRow {
  std::string name, letters;
  bool baseline = false;
  long parameters = 0;
  std::vector<double> scores = {};        // bits per byte on validation data, one of each run that is finished
  std::vector<std::string> missing = {};  // the folders of those that are not
  double mean() const;                    // NaN if there is no score
};

struct OrderingResults {
  std::string folder = {};
  LmSettings settings = {};            // what all runs have in common
  std::vector<std::string> runs = {};  // their folders, in the order in which they are trained
  std::vector<OrderingRow> rows = {};  // the best first; those without a score last
  double mean = NAN, spread = NAN;  // of the baseline's scores; the spread is their standard deviation, of at least 2

  double difference(const OrderingRow& row) const;  // from the mean, in units of the spread; NaN if there is none
  long missing() const;                             // runs that are not finished
};

// The validation of the last step, as the checkpoint has it; NaN if the run has not come so far.
double finished_score(const std::string& run, long last_step);

// Reads what is in the folder. The settings are those of the set; they say how long a run is.
OrderingResults ordering_results(const std::string& folder, const PlannedRuns& planned, const LmSettings& settings);

std::string results_text(const OrderingResults& results);  // a table in lines, for a terminal
Json results_json(const OrderingResults& results);
LettersChart results_chart(const OrderingResults& results);

// The chart and the page, into the folder. `page`: what the program says beside it.
void write_results(const OrderingResults& results, const RunPage& page);

}  // namespace heed
