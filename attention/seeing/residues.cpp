#include "attention/seeing/residues.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Places that belong to classes side by side
struct Places {
  std::vector<long> begin = {0};      // of each class, and the end of the last one
  std::vector<int32_t> kind, number;  // of each place: its class, and the query or key that stands there

  void add_class(long first, long end, long D) {
    for (; first < end; first += D) kind.push_back(int32_t(begin.size() - 1)), number.push_back(int32_t(first));
    begin.push_back(long(kind.size()));
  }
  long of(long place) const { return kind[size_t(place)]; }
  Tensor order() const { return from_vector(number, {1, 1, long(number.size())}); }
};

// T queries, the last of S tokens, and the keys that they may see: class c has the queries c, c + D, c + 2 D, .. and
// all keys of their residue.
struct Classes {
  Pattern window;
  long apart;
  Places queries = {}, keys = {};
  std::vector<long> ahead = {};  // of each class: the query at place i stands, as a key, at i + ahead

  Classes(long T, long S, const Pattern& pattern, long least) : window(pattern), apart(least) {
    const long D = window.dilation, before = S - T;
    for (long c = 0; c < std::min(T, D); c++) {
      ahead.push_back(keys.begin.back() - queries.begin.back() + (before + c) / D);
      queries.add_class(c, T, D);
      keys.add_class((before + c) % D, S, D);
    }
  }

  bool sees(long i, long j) const {
    return queries.of(i) == keys.of(j) && (apart == 0 || std::labs(i + own(i) - j) >= apart);
  }
  long own(long query) const { return ahead[size_t(queries.of(query))]; }
};

// The queries and keys of class c in a tile, both by the places of keys
PlanTile part_of(const PlanTile& at, const Classes& classes, long c) {
  const long ahead = classes.ahead[size_t(c)];
  const auto &queries = classes.queries.begin, &keys = classes.keys.begin;
  return {at.b,
          at.h,
          std::max(at.first_query, queries[size_t(c)]) + ahead,
          std::min(at.last_query, queries[size_t(c) + 1] - 1) + ahead,
          std::max(at.first_key, keys[size_t(c)]),
          std::min(at.last_key, keys[size_t(c) + 1] - 1)};
}

// Does the window reach from the tile's queries of class c to its keys of this class?
bool touches(const PlanTile& at, const Classes& classes, long c) {
  const Pattern& window = classes.window;
  const PlanTile part = part_of(at, classes, c);
  return (window.window_left < 0 || part.last_key >= part.first_query - window.window_left) &&
         (window.window_right < 0 || part.first_key <= part.last_query + window.window_right);
}

Cover cover_of(const PlanTile& at, const Classes& classes) {
  const Places &queries = classes.queries, &keys = classes.keys;
  const long first = std::max(queries.of(at.first_query), keys.of(at.first_key));
  const long last = std::min(queries.of(at.last_query), keys.of(at.last_key));
  bool touched = false;
  for (long c = first; c <= last && !touched; c++) touched = touches(at, classes, c);
  if (!touched) return Cover::none;
  const bool one =
      queries.of(at.first_query) == queries.of(at.last_query) && keys.of(at.first_key) == keys.of(at.last_key);
  const PlanTile part = part_of(at, classes, first);
  const long nearest = std::max(part.first_query - part.last_key, part.first_key - part.last_query);
  return one && (classes.apart == 0 || nearest >= classes.apart) ? Cover::all : Cover::some;
}

// Tiles of a window in the order of residues, and of keys that all see. Queries and keys are the same n tokens.
struct GlobalKeys {
  long n;
  Classes classes;
  std::vector<bool> global;  // by sample and place
  std::vector<long> before;  // of all samples, one after the other: how many there are before each place

  GlobalKeys(long tokens, const Pattern& window, const Tensor& globals) : n(tokens), classes(n, n, window, 0) {
    const std::vector<bool> flags = globals.to_vector<bool>();
    before = {0};
    for (long at = 0; at < long(flags.size()); at++) {
      global.push_back(flags[size_t(at / n * n + token(at % n))]);
      before.push_back(before.back() + global.back());
    }
  }
  long token(long place) const { return classes.keys.number[size_t(place)]; }
  bool sees(const PlanPair& p) const {
    return global[size_t(p.b * n + p.j)] || classes.window.sees(token(p.i), token(p.j));
  }
  // Does the window of every query hold every key? In one class places are steps of the window.
  bool full(const PlanTile& at) const {
    const Pattern& window = classes.window;
    const long first = std::min(at.first_query, at.first_key), last = std::max(at.last_query, at.last_key);
    return classes.keys.of(first) == classes.keys.of(last) &&
           (window.window_left < 0 || at.last_query - at.first_key <= window.window_left) &&
           (window.window_right < 0 || at.last_key - at.first_query <= window.window_right);
  }
  Cover covers(const PlanTile& at) const {
    const size_t list = size_t(at.b * n);
    const long globals = before[list + size_t(at.last_key) + 1] - before[list + size_t(at.first_key)];
    if (globals == at.last_key - at.first_key + 1 || full(at)) return Cover::all;
    return globals > 0 || cover_of(at, classes) != Cover::none ? Cover::some : Cover::none;
  }
};

// The order of the classes beside a plan of places
Residues ordered(const Classes& classes, Plan plan) {
  const long T = long(classes.queries.number.size());
  std::vector<int32_t> inverse(static_cast<size_t>(T));
  for (long place = 0; place < T; place++) inverse[size_t(classes.queries.number[size_t(place)])] = int32_t(place);
  return {std::move(plan), classes.queries.order(), from_vector(inverse, {1, 1, T}), classes.keys.order()};
}

// The same range of tokens, without the residues.
Pattern undilated(Pattern pattern) {
  if (pattern.window_left > 0) pattern.window_left *= pattern.dilation;
  if (pattern.window_right > 0) pattern.window_right *= pattern.dilation;
  pattern.dilation = 1;
  return pattern;
}

}  // namespace

Residues residues_of(long T, long S, const Pattern& pattern, long apart) {
  const Classes classes(T, S, pattern, apart);
  return ordered(classes,
                 plan_of_pairs(
                     {T, long(classes.keys.number.size())}, [&](const PlanPair& p) { return classes.sees(p.i, p.j); },
                     [&](const PlanTile& tile) { return cover_of(tile, classes); }));
}

Residues residues_with_globals(long n, const Pattern& window, const Tensor& globals) {
  const long dims = globals.defined() ? globals.dims() : 0;
  HEED_CHECK(dims >= 1 && dims <= 2 && globals.dtype() == boolean && globals.size(-1) == n, "residues_with_globals",
             "globals is ", globals.shape(), " and there are ", n, " tokens; it must be boolean (n) or (B, n)");
  const GlobalKeys keys(n, window, globals);
  return ordered(keys.classes,
                 plan_of_pairs(
                     {n, n, dims == 2 ? globals.size(0) : 1}, [&](const PlanPair& pair) { return keys.sees(pair); },
                     [&](const PlanTile& tile) { return keys.covers(tile); }));
}

Visible visible_residues(const Mask& mask, const Pattern& pattern, const Shape& shape,
                         const std::shared_ptr<const Residues>& residues) {
  Visible visible = visible_pairs("attention", mask, undilated(pattern), shape);
  visible.plan = {residues, &residues->plan};
  if (shape[2] > pattern.dilation) visible.query_index = residues->order;
  visible.key_index = residues->keys;
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
