#include "attention/seeing/residues.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

// n tokens in classes 0 .. D - 1, side by side
struct Classes {
  long n, D;

  long begin(long c) const { return n / D * c + std::min(n % D, c); }  // its first place; the first n % D are longer
  long of(long place) const {
    const long longer = n % D * (n / D + 1);
    return place < longer ? place / (n / D + 1) : n % D + (place - longer) / std::max(1L, n / D);
  }
  long token(long place) const { return (place - begin(of(place))) * D + of(place); }
};

// Does the window reach from the tile's queries of class c to its keys of this class?
bool touches(const PlanTile& at, const Classes& classes, const Pattern& window, long c) {
  const long begin = classes.begin(c), end = classes.begin(c + 1) - 1;
  const long first_query = std::max(at.first_query, begin), last_query = std::min(at.last_query, end);
  const long first_key = std::max(at.first_key, begin), last_key = std::min(at.last_key, end);
  return (window.window_left < 0 || last_key >= first_query - window.window_left) &&
         (window.window_right < 0 || first_key <= last_query + window.window_right);
}

Cover cover_of(const PlanTile& at, const Classes& classes, const Pattern& window) {
  const long first = std::max(classes.of(at.first_query), classes.of(at.first_key));
  const long last = std::min(classes.of(at.last_query), classes.of(at.last_key));
  bool touched = false;
  for (long c = first; c <= last && !touched; c++) touched = touches(at, classes, window, c);
  if (!touched) return Cover::none;
  const auto one = [&](long from, long to) { return classes.of(from) == classes.of(to); };
  return one(at.first_query, at.last_query) && one(at.first_key, at.last_key) ? Cover::all : Cover::some;
}

// The same range of tokens, without the residues.
Pattern undilated(Pattern pattern) {
  if (pattern.window_left > 0) pattern.window_left *= pattern.dilation;
  if (pattern.window_right > 0) pattern.window_right *= pattern.dilation;
  pattern.dilation = 1;
  return pattern;
}

}  // namespace

Residues residues_of(long n, const Pattern& pattern) {
  const Classes classes{n, pattern.dilation};
  std::vector<int32_t> order, inverse(static_cast<size_t>(n));
  for (long place = 0; place < n; place++) {
    order.push_back(int32_t(classes.token(place)));
    inverse[size_t(order.back())] = int32_t(place);
  }
  return {plan_of_pairs(
              {n, n}, [&](const PlanPair& p) { return classes.of(p.i) == classes.of(p.j); },
              [&](const PlanTile& tile) { return cover_of(tile, classes, pattern); }),
          from_vector(order, {1, 1, n}), from_vector(inverse, {1, 1, n})};
}

Visible visible_residues(const Mask& mask, const Pattern& pattern, const Shape& shape,
                         const std::shared_ptr<const Residues>& residues) {
  Visible visible = visible_pairs("attention", mask, undilated(pattern), shape);
  visible.plan = {residues, &residues->plan};
  visible.query_index = visible.key_index = residues->order;
  return visible;
}

Visible visible_every(const Mask& mask, const Pattern& pattern, const Shape& shape) {
  Visible v = visible_pairs("attention", mask, undilated(pattern), shape);
  const long D = pattern.dilation, S = v.S, begin = first_of_last(S, D);
  v.S = (S - 1) / D + 1;
  std::vector<int32_t> first = v.first.to_vector<int32_t>(), last = v.last.to_vector<int32_t>();
  for (size_t b = 0; b < first.size(); b++) {
    const long low = ceil_div(std::max(0L, first[b] - begin), D), high = last[b] < begin ? -1 : (last[b] - begin) / D;
    first[b] = int32_t(low <= high ? low : 1), last[b] = int32_t(low <= high ? high : 0);
  }
  v.first = from_vector(first, v.first.shape()), v.last = from_vector(last, v.last.shape());
  if (v.key_labels.defined()) v.key_labels = contiguous(slice(v.key_labels, 1, begin, S, D));
  if (v.allow.defined() && v.allow.dims() > 0 && v.allow.size(-1) == S) v.allow = slice(v.allow, -1, begin, S, D);
  return v;
}

}  // namespace heed
