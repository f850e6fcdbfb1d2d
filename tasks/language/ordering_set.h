// OrderingSet: orderings of a transformer's sublayers that are trained beside each other, to see what their order is
// worth (Press, Smith and Levy: Improving Transformer Models by Reordering their Sublayers, 2020). All runs have the
// same settings but for the ordering and the seed. The usual transformer, interleaved, is the baseline. It is trained
// with several seeds: how far these lie apart tells how large a difference must be to mean something.
//
//   const PlannedRuns planned = planned_runs({.set = "sandwich:1..3,ssff"}, settings);
//   for (const OrderingRun& run : planned.runs) LanguageTask task(settings_of(run, settings), data);
#pragma once

#include <string>
#include <vector>

#include "tasks/language/lm_settings.h"

namespace heed {

struct OrderingSet {
  std::string set =
      {};  // a list (models/orderings.h), besides the baseline; empty: sandwiches, random and unbalanced ones
  long random = 4, unbalanced = 4;  // how many of these there are if the list is empty
  long seeds = 1, baseline_seeds = 5;
};
SettingTable table_of(OrderingSet& set);  // every member once, as settings have them (train/settings.h)

struct OrderingRun {
  std::string name, letters;  // "sandwich:1", "ssff"
  long seed = 0;
  bool baseline = false;
  long parameters = 0;

  std::string folder() const;  // "sandwich-1-seed-7": its name below the folder of the set
};

struct PlannedRuns {
  std::vector<OrderingRun> runs = {};   // those of the baseline first
  std::vector<std::string> notes = {};  // sentences: which names have the same letters, and are trained once
};

// Throws a sentence for an ordering that a language model of these settings cannot have, and if there is none to
// compare with the baseline.
PlannedRuns planned_runs(const OrderingSet& set, const LmSettings& settings);

LmSettings settings_of(const OrderingRun& run, LmSettings settings);  // of this run alone

}  // namespace heed
