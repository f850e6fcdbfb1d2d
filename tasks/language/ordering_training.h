// Trains the runs of an OrderingSet one after the other, each for as many steps as the others, into a folder each. What
// is finished is not trained again, and what was stopped goes on to the same bits.
//
//   const TrainedOrderings trained = train_orderings({.set = "sandwich:1..3"}, settings, data,
//                                                    {.run = {.run = "runs/orderings", .resume = true}});
//   print_line(results_text(trained.results));
//
// Ctrl-C saves and ends with what there is; the same call with resume goes on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/byte_data.h"
#include "tasks/language/ordering_results.h"
#include "train/run.h"

namespace heed {

struct OrderingOptions {
  RunOptions run = {};  // of every run; but `run.run` is the folder of the set, and `run.page` is of the set's page
  double minutes = 0;   // for all runs of a new set together; 0: as many steps as the settings say
  std::function<RunPage(const std::string& run, const LmSettings& settings)> run_page = {};  // of each run
  std::function<void(const OrderingRun& run, const RunResult& result)> trained = {};         // called behind each
};

struct TrainedOrderings {
  OrderingResults results = {};
  bool stopped = false;                  // by Ctrl-C
  std::vector<std::string> failed = {};  // a sentence for each run whose numbers were not finite; the others go on
};

// Throws a sentence for what cannot be trained, and for what is in the folder and does not fit (ordering_folder.h).
TrainedOrderings train_orderings(const OrderingSet& set, const LmSettings& settings, const ByteData& data,
                                 const OrderingOptions& options);

}  // namespace heed
