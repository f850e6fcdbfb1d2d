// The plan of a window with global tokens (Longformer: Beltagy et al., 2020).
#include <algorithm>

#include "attention/seeing/plan.h"
#include "tensor/copy.h"

namespace heed {
namespace {

struct WindowAndGlobals {
  const Pattern& window;
  long T, S, samples;
  std::vector<char> global;  // (samples, S)

  bool is_global(long b, long position) const { return position >= 0 && global[size_t(b * S + position)]; }
  bool sees(const PlanPair& pair) const {
    const long p = pair.i + S - T;
    return window.sees(p, pair.j) || is_global(pair.b, p) || is_global(pair.b, pair.j);
  }
  bool any_global(long b, long first, long last) const {
    const auto from = global.begin() + b * S;
    return std::any_of(from + std::max(0L, first), from + std::max(0L, last + 1), [](char yes) { return yes; });
  }

  // The window's first and last key are the later the later the query is, so two queries tell of all.
  Cover covers(const PlanTile& at) const {
    const long p = at.first_query + S - T, last = at.last_query + S - T;
    const KeyRange early = window.range(p, S), late = window.range(last, S);
    if (window.dilation == 1 && late.first <= at.first_key && early.last >= at.last_key) return Cover::all;
    const bool touched = early.first <= at.last_key && late.last >= at.first_key;
    return touched || any_global(at.b, p, last) || any_global(at.b, at.first_key, at.last_key) ? Cover::some
                                                                                               : Cover::none;
  }
};

Plan planned(const WindowAndGlobals& rule) {
  return plan_of_pairs(
      {rule.T, rule.S, rule.samples}, [&](const PlanPair& pair) { return rule.sees(pair); },
      [&](const PlanTile& tile) { return rule.covers(tile); });
}

}  // namespace

Plan plan_of_globals(long T, long S, const Pattern& window, const Tensor& globals) {
  const long dims = globals.defined() ? globals.dims() : 0;
  HEED_CHECK(dims >= 1 && dims <= 2 && globals.dtype() == boolean && globals.size(-1) == S, "plan_of_globals",
             "globals is ", globals.shape(), " and there are ", S, " keys; it must be boolean (S) or (B, S)");
  const std::vector<bool> flags = globals.to_vector<bool>();
  return planned({window, T, S, dims == 2 ? globals.size(0) : 1, {flags.begin(), flags.end()}});
}

Plan plan_of_globals(long T, long S, const Pattern& window, long first) {
  std::vector<char> flags(size_t(S), 0);
  std::fill_n(flags.begin(), std::clamp(first, 0L, S), 1);
  return planned({window, T, S, 1, std::move(flags)});
}

}  // namespace heed
