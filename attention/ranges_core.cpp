#include "attention/ranges_core.h"

#include <algorithm>

#include "attention/heads.h"
#include "attention/seeing/plan.h"

namespace heed {

Plan RangesCore::plan(const PlanFor& at) const {
  const long n = at.first_key + at.S, from = n - at.T;  // positions of the queries: from .. n - 1
  std::vector<PlanTile> rectangles;
  for (long h = 0; h < lists_; h++)
    for (long p = from, end = from; p < n; p = end) {
      const SeenKeys seen = keys(h, p, n);
      end = seen.end;
      for (const KeyRange& range : seen.keys)
        rectangles.push_back({.b = 0,
                              .h = h,
                              .first_query = p - from,
                              .last_query = end - 1 - from,
                              .first_key = range.first - at.first_key,
                              .last_key = range.last - at.first_key});
    }
  return plan_of_rectangles({.T = at.T, .S = at.S, .heads = lists_}, rectangles);
}

Variable RangesCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  return heads.q.size(2) == 1 ? single(heads, mask, ctx) : SoftmaxCore::attend(heads, mask, ctx);
}

// Range number r of each head that has so many, under the mask
Visible RangesCore::part(const Heads& heads, const Mask& mask, const std::vector<std::vector<KeyRange>>& ranges,
                         size_t r) const {
  const Shape shape = pairs_of(heads);
  const auto own = [&](long list) -> KeyRange {
    const std::vector<KeyRange>& all = ranges[size_t(list)];
    if (r >= all.size()) return kNoKeys;
    return {all[r].first - heads.first_key, all[r].last - heads.first_key};
  };
  const Visible visible = lists_ == 1
                              ? visible_ranges("attention", shape, mask, [&](long, long) { return own(0); })
                              : visible_ranges_by_head("attention", shape, mask, [&](long h, long) { return own(h); });
  return visible.on(heads.q.value().device());
}

// No pair is in two parts, so one key of dropout serves all.
Variable RangesCore::single(const Heads& heads, const Mask& mask, Context& ctx) const {
  const long n = heads.first_key + heads.k.size(2);
  std::vector<std::vector<KeyRange>> ranges;
  size_t most = 1;  // a query that sees nothing has a part, too
  for (long h = 0; h < lists_; h++) {
    ranges.push_back(keys(h, n - 1, n).keys);
    most = std::max(most, ranges.back().size());
  }
  const SoftmaxInputs in = inputs(heads, mask, ctx);
  const SoftmaxOptions draw = options(ctx);
  std::vector<SoftmaxOutputs> parts;
  for (size_t r = 0; r < most; r++) {
    if (long(parts.size()) == kMostMergedParts) parts = {merge(parts)};
    parts.push_back(softmax_attention(in, part(heads, mask, ranges, r), draw));
  }
  return parts.size() == 1 ? parts[0].o : merge(parts).o;
}

}  // namespace heed
