#include "tasks/language/ordering_set.h"

#include <algorithm>
#include <cmath>

#include "models/orderings.h"
#include "system/error.h"

namespace heed {
namespace {

constexpr const char* kOp = "orderings";
constexpr const char* kBaseline = "interleaved";
constexpr long kMostRuns = 500;

// Of n layers those with k = 1 to n - 1 differ (n is n - 1 again); of many some are enough.
std::vector<std::string> sandwiches(long layers) {
  constexpr long kMost = 6;
  const long count = std::min(layers - 1, kMost);
  std::vector<std::string> list;
  for (long i = 1; i <= count; i++)
    list.push_back("sandwich:" + std::to_string(std::lround(double(i) * double(layers - 1) / double(count))));
  return list;
}

std::vector<std::string> usual_names(const OrderingSet& set, long layers) {
  std::vector<std::string> list = sandwiches(layers);
  for (long i = 1; i <= set.random; i++) list.push_back("random:" + std::to_string(i));
  for (long i = 1; i <= set.unbalanced; i++) list.push_back("unbalanced:" + std::to_string(i));
  return list;
}

class Planning {
 public:
  explicit Planning(const LmSettings& settings) : settings_(settings) {}

  void add(const std::string& name, long seeds) {
    const bool baseline = name == kBaseline && plan_.runs.empty();
    HEED_CHECK(settings_.seed + seeds - 1 <= kMaxSeed, kOp, "the seed is ", settings_.seed, " and ", name, " has ",
               seeds, " of them; the last must be at most ", kMaxSeed, ". Begin with a smaller seed");
    const std::string letters = expanded_ordering(name, settings_.layers);
    if (const OrderingRun* same = find(letters)) {
      plan_.notes.push_back(name == same->name ? name + " is named twice; it is trained once"
                                               : name + " has the letters of " + same->name + ", " + letters +
                                                     "; they are trained once, as " + same->name);
      return;
    }
    OrderingRun run{name, letters, settings_.seed, baseline};
    run.parameters = parameters_of(run);
    for (long i = 0; i < seeds; i++, run.seed++) plan_.runs.push_back(run);
  }

  PlannedRuns take() { return std::move(plan_); }

 private:
  // Makes the model, which throws if it cannot be.
  long parameters_of(const OrderingRun& run) const {
    const LmSettings own = settings_of(run, settings_);
    check_settings(own);
    return Gpt(model_options(own)).parameter_count();
  }

  const OrderingRun* find(const std::string& letters) const {
    for (const OrderingRun& run : plan_.runs)
      if (run.letters == letters) return &run;
    return nullptr;
  }

  const LmSettings& settings_;
  PlannedRuns plan_;
};

}  // namespace

SettingTable table_of(OrderingSet& set) {
  return {{"set", set.set,
           "orderings besides the baseline, such as sandwich:1..3,random:1..4,ssff; if nothing is said, sandwiches and "
           "as many of the others as the next two say"},
          {"random", set.random, 0, kMostRuns, "shuffled orderings, random:1 to random:N"},
          {"unbalanced", set.unbalanced, 0, kMostRuns,
           "orderings with as many weights but any number of s, unbalanced:1 to unbalanced:N"},
          {"seeds", set.seeds, 1, kMostRuns, "runs of each ordering, from --seed on"},
          {"baseline_seeds", set.baseline_seeds, 1, kMostRuns,
           "runs of the baseline, sfsf..., from --seed on: how far they lie apart is the yardstick"}};
}

std::string OrderingRun::folder() const {
  std::string safe = name;
  std::replace(safe.begin(), safe.end(), ':', '-');
  return safe + "-seed-" + std::to_string(seed);
}

PlannedRuns planned_runs(const OrderingSet& set, const LmSettings& settings) {
  Planning planning(settings);
  planning.add(kBaseline, set.baseline_seeds);
  const std::vector<std::string> names =
      set.set.empty() ? usual_names(set, settings.layers) : listed_orderings(set.set);
  HEED_CHECK(!names.empty(), kOp,
             "the set is empty: there is nothing to compare with the baseline. Name orderings, such "
             "as sandwich:1,ssff, or ask for random ones");
  for (const std::string& name : names) planning.add(name, set.seeds);
  PlannedRuns planned = planning.take();
  HEED_CHECK(long(planned.runs.size()) <= kMostRuns, kOp, "the set has ", planned.runs.size(), " runs; at most ",
             kMostRuns, ". Name fewer orderings or fewer seeds");
  return planned;
}

LmSettings settings_of(const OrderingRun& run, LmSettings settings) {
  settings.ordering = run.baseline ? "" : run.letters;
  settings.seed = run.seed;
  return settings;
}

}  // namespace heed
