// The plan of a window with global tokens (Longformer: Beltagy et al., 2020).
#include <algorithm>

#include "attention/seeing/plan.h"
#include "tensor/copy.h"

namespace heed {
namespace {

// before(b, j): how many of the tokens 0 .. j - 1 of a sample are global
template <class Before> struct WindowAndGlobals {
  const Pattern& window;
  long T, S;
  Before before;

  long globals_in(long b, long first, long last) const {
    first = std::max(0L, first), last = std::max(first - 1, last);
    return before(b, last + 1) - before(b, first);
  }
  bool sees(const PlanPair& pair) const {
    const long p = pair.i + S - T;
    return window.sees(p, pair.j) || globals_in(pair.b, p, p) > 0 || globals_in(pair.b, pair.j, pair.j) > 0;
  }

  // The window's first and last key are the later the later the query is, so two queries tell of all.
  Cover covers(const PlanTile& at) const {
    const long p = at.first_query + S - T, last = at.last_query + S - T;
    const long queries = globals_in(at.b, p, last), keys = globals_in(at.b, at.first_key, at.last_key);
    if (queries == last - p + 1 || keys == at.last_key - at.first_key + 1) return Cover::all;
    const KeyRange early = window.range(p, S), late = window.range(last, S);
    if (window.dilation == 1 && late.first <= at.first_key && early.last >= at.last_key) return Cover::all;
    const bool touched = early.first <= at.last_key && late.last >= at.first_key;
    return touched || queries + keys > 0 ? Cover::some : Cover::none;
  }
};

template <class Before> Plan planned(const Pattern& window, long T, long S, long samples, const Before& before) {
  const WindowAndGlobals<Before> rule{window, T, S, before};
  return plan_of_pairs(
      {T, S, samples}, [&](const PlanPair& pair) { return rule.sees(pair); },
      [&](const PlanTile& tile) { return rule.covers(tile); });
}

}  // namespace

Plan plan_of_globals(long T, long S, const Pattern& window, const Tensor& globals) {
  const long dims = globals.defined() ? globals.dims() : 0;
  HEED_CHECK(dims >= 1 && dims <= 2 && globals.dtype() == boolean && globals.size(-1) == S, "plan_of_globals",
             "globals is ", globals.shape(), " and there are ", S, " keys; it must be boolean (S) or (B, S)");
  const std::vector<bool> flags = globals.to_vector<bool>();
  std::vector<long> counts = {0};  // over all samples
  for (const bool global : flags) counts.push_back(counts.back() + global);
  return planned(window, T, S, dims == 2 ? globals.size(0) : 1,
                 [&](long b, long j) { return counts[size_t(b * S + j)] - counts[size_t(b * S)]; });
}

Plan plan_of_globals(long T, long S, const Pattern& window, long first) {
  return planned(window, T, S, 1, [first](long, long j) { return std::min(j, std::max(0L, first)); });
}

}  // namespace heed
