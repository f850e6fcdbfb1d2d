// Runs side by side: how far each came and what it cost, what differs between them, and runs that differ in their seed
// only as one group with its spread.
//
//   std::vector<RunSummary> runs = {summary_of(RunFolder("runs/a"), facts), summary_of(RunFolder("runs/b"), facts)};
//   const Comparison all(runs);
//   std::printf("%s", all.text().c_str());
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "show/page.h"
#include "train/run_folder.h"
#include "train/run_info.h"

namespace heed {

struct RunSummary {
  std::string path = {};
  Json settings = {};
  long parameters = 0;
  long step = 0, last_step = 0;                          // how far it is, and how far it is to go
  double last = NAN, best = NAN;                         // validation; NaN: none yet
  double seconds = 0, tokens_per_s = 0, peak_bytes = 0;  // of training; 0: not known
  bool running = false;                                  // a process trains in the folder now

  std::string state() const;  // "done", "running, step 120 of 2000", "stopped at step 120 of 2000", "not begun"
};

RunSummary summary_of(const RunFolder& run, const RunFacts& facts);

class Comparison {
 public:
  Comparison(std::vector<RunSummary> runs, const Score& score = {});

  // The best first, by the mean of a group's best validations; what has none comes last.
  struct Group {
    std::vector<RunSummary> runs;  // equal but for the seed, the best first
    std::string differs;           // from the other groups: "width=128 rate=0.004"
  };
  const std::vector<Group>& groups() const { return groups_; }

  // A row for each run, above those of a group one with its mean and standard deviation.
  std::vector<std::string> head() const;
  Page::Rows rows() const;
  std::string text() const;  // the same for a terminal, in columns

 private:
  Score score_;
  std::vector<Group> groups_;
};

// Rows in columns that are as wide as they need be; the first and the last are aligned at the left. A line for each.
std::string columns_text(const Page::Rows& rows);

}  // namespace heed
