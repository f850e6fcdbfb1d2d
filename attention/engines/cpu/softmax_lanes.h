// Who sees whom in a tile of up to 64 queries by 64 keys, for forward and backward of the softmax engine. A lane is one
// place in a vector register: the 64 queries of a tile lie in 64 lanes, and one instruction serves 8 or 16 of them.
// Here is what the lanes see, which tiles of keys they look at, and where the rows of both lie in memory: side by side,
// or, if there is an index (softmax_kernels.h), gathered from anywhere.
#pragma once

#include <limits>

#include "attention/engines/softmax_kernels.h"
#include "attention/seeing/plan.h"
#include "tensor/cpu/simd.h"

namespace heed {

using kernels::SoftmaxProblem;
using kernels::SoftmaxSizes;

inline constexpr long kTile = kPlanTile;

// The queries or keys of a tile: rows begin .. begin + count.
struct TileRows {
  long begin, count;
  const int32_t* token = nullptr;  // (count): the token in each row, -1: none; null: row i is token i
  long at(long r) const { return token ? token[r] : begin + r; }
};

struct KeyTile : TileRows {
  long least, most;                // all its tokens lie between these; least < 0: a row is empty
  const uint64_t* bits = nullptr;  // (count), of the plan: a bit for every lane; null: it allows all pairs
};

// A part of a tile: some of its rows of keys by some of its lanes.
struct TilePart {
  long row, rows, lane, lanes;
  long at() const { return row * kTile + lane; }  // of its first pair in (count, 64)
  long below() const { return row + rows; }
  long behind() const { return lane + lanes; }
};
struct TileParts {
  TilePart part[2];
  long count = 0;
  void add(const TilePart& next) { part[count++] = next; }
  const TilePart* begin() const { return part; }
  const TilePart* end() const { return part + count; }
};

// The queries of one tile, lane by lane; lanes beyond the last query and empty rows see nothing.
template <class E> struct Lanes {
  using Element = std::conditional_t<sizeof(E) == 4, int32_t, int64_t>;
  alignas(64) Element first[kTile], last[kTile], label[kTile];
  int32_t token[kTile];
  const SoftmaxProblem& p;
  long b, h, tile, begin, n;                                            // queries begin .. begin + n
  long least_first = std::numeric_limits<long>::max(), most_last = -1;  // over those that see something
  long most_first = 0, least_last = std::numeric_limits<long>::max();   // over all of them
  long half_first[2], half_last[2];  // as least_first and most_last, of each half of the lanes
  const int32_t* key_labels;         // of this sample, or null
  const bool* allow;                 // of this sample and head, or null

  Lanes(const SoftmaxProblem& problem, long sample, long head, long number)
      : p(problem),
        b(sample),
        h(head),
        tile(number),
        begin(number * kTile),
        n(std::min(kTile, p.sizes.T - begin)),
        key_labels(p.seen.key_labels.of(b)),
        allow(p.seen.allow.of(b, h)) {
    const int32_t *index = p.seen.query_index.of(b, h), *labels = p.seen.query_labels.of(b);
    std::fill_n(half_first, 2, least_first), std::fill_n(half_last, 2, most_last);
    for (long i = 0; i < kTile; i++) {
      token[i] = i >= n ? -1 : index ? index[begin + i] : int32_t(begin + i);
      const bool here = token[i] >= 0;
      const KeyRange seen = here ? p.seen.range(b, h, token[i]) : kNoKeys;
      first[i] = Element(seen.first), last[i] = Element(seen.last);
      label[i] = here && labels ? labels[token[i]] : 0;
      if (i >= n) continue;
      most_first = std::max<long>(most_first, first[i]), least_last = std::min<long>(least_last, last[i]);
      if (first[i] > last[i]) continue;
      long& half_least = half_first[2 * i / kTile];
      long& half_most = half_last[2 * i / kTile];
      half_least = std::min<long>(half_least, first[i]), half_most = std::max<long>(half_most, last[i]);
    }
    least_first = std::min(half_first[0], half_first[1]), most_last = std::max(half_last[0], half_last[1]);
  }

  TileRows rows() const { return {begin, n, p.seen.query_index ? token : nullptr}; }

  // Calls look(KeyTile) for the tiles of keys that have a visible one, in rising order. All others are skipped.
  template <class F> void for_key_tiles(F&& look) const {
    const long end = std::min(most_last + 1, p.sizes.key_tokens);
    if (p.seen.plan) return for_planned_tiles(look, end);
    for (long j = least_first / kTile * kTile; j < end; j += kTile) look(tile_at(j, end));
  }

  // Is the tile FULL? Then no pair of it has to be asked for.
  bool sees_all(const KeyTile& keys) const {
    return most_first <= keys.least && least_last >= keys.most && !key_labels && !allow && !keys.bits;
  }

  // Where there is something to see. At the border of a window or at the diagonal that is about half of a tile: each
  // half of the lanes has the rows that it sees, and nothing is computed for the others. whole: in one part.
  TileParts parts(const KeyTile& keys, bool whole) const {
    TileParts parts;
    const TilePart all{0, keys.count, 0, kTile};
    if (whole || keys.token) {
      parts.add(all);
      return parts;
    }
    constexpr long kHalf = kTile / 2;
    for (long half = 0; half < 2; half++) {
      const long row = std::max(0L, half_first[half] - keys.begin);
      const long rows = std::min(keys.count, half_last[half] + 1 - keys.begin) - row;
      if (rows > 0) parts.add({row, rows, half * kHalf, kHalf});
    }
    if (parts.count == 2 && parts.part[0].rows == keys.count && parts.part[1].rows == keys.count) {
      parts.count = 0;
      parts.add(all);
    }
    return parts;
  }

  // s (count, 64): -infinity where a pair of the part is not visible
  void hide(E* s, const KeyTile& keys, const TilePart& part) const {
    for (long r = part.row; r < part.below(); r++) {
      const long key = keys.at(r);
      if (key < 0)
        std::fill_n(s + r * kTile + part.lane, part.lanes, -std::numeric_limits<E>::infinity());
      else
        hide_key(s + r * kTile, Element(key), keys.bits ? keys.bits[r] : ~uint64_t(0), part);
    }
  }

 private:
  // Keys j ..; behind `end` nobody sees one.
  static KeyTile tile_at(long j, long end) {
    const long count = std::min(kTile, end - j);
    return {{j, count}, j, j + count - 1};
  }

  // Without the first and last keys that the plan shows to no query: of a tile with one global key only this is left.
  static void trim(KeyTile& keys, bool in_order) {
    while (keys.count > 0 && keys.bits[keys.count - 1] == 0) keys.count--;
    long before = 0;
    while (before < keys.count && keys.bits[before] == 0) before++;
    keys.begin += before, keys.count -= before, keys.bits += before;
    if (keys.token) keys.token += before;
    if (in_order) keys.least = keys.begin, keys.most = keys.begin + keys.count - 1;
  }

  template <class F> void for_planned_tiles(F&& look, long end) const {
    const kernels::PlanTiles& plan = p.seen.plan;
    const long row = plan.row(b, h, tile);
    const int32_t* index = p.seen.key_index.of(b, h);
    for (long e = plan.begin[row]; e < plan.begin[row + 1]; e++) {
      const long j = plan.key_tile[e] * kTile;
      KeyTile keys = tile_at(j, index ? p.sizes.S : end);
      if (index) {
        keys.token = index + j;
        const auto [low, high] = std::minmax_element(keys.token, keys.token + keys.count);
        keys.least = *low, keys.most = *high;
      }
      if (keys.count <= 0 || keys.most < least_first || keys.least >= end) continue;
      keys.bits = plan.words(e);
      if (keys.bits) trim(keys, index == nullptr);
      if (keys.count > 0) look(keys);
    }
  }

  // A row of 64 scores of one key, with the word of the plan
  void hide_key(E* s, Element key, uint64_t word, const TilePart& part) const {
    using Int = typename Vec<E>::Int;
    constexpr long kLanes = Vec<E>::kLanes;
    const Vec<E> nothing(-std::numeric_limits<E>::infinity());
    Int power{};
    for (long i = 0; i < kLanes; i++) power[i] = Element(1) << i;
    for (long x = part.lane; x < part.behind(); x += kLanes) {
      auto lanes = [&](const Element* of) { return *reinterpret_cast<const Int*>(of + x); };
      Int seen = (lanes(first) <= key) & (lanes(last) >= key);
      seen &= ((Element(word >> x) - Int{}) & power) != 0;
      if (key_labels) seen &= lanes(label) == Element(key_labels[key]);
      if (allow)
        for (long i = 0; i < kLanes; i++)
          if (token[x + i] >= 0 && !allow[token[x + i] * p.seen.allow_i + key * p.seen.allow_j]) seen[i] = 0;
      select(seen, Vec<E>::load(s + x), nothing).store(s + x);
    }
  }
};

// ---- rows of q, k and v

template <class E> struct Rows {
  const E* data;
  long row;  // from one to the next
};

// The rows of x (tokens, C) that a tile covers: where they lie, or gathered in own (count, C).
template <class E> Rows<E> rows_at(const TileRows& tile, const E* x, long x_row, long C, E* own) {
  if (!tile.token) return {x + tile.begin * x_row, x_row};
  for (long r = 0; r < tile.count; r++)
    if (tile.token[r] >= 0)
      std::copy_n(x + tile.token[r] * x_row, C, own + r * C);
    else
      std::fill_n(own + r * C, C, E(0));
  return {own, C};
}

// rows (count, C)
template <class E> bool all_finite(const Rows<E>& rows, long count, long C) {
  Vec<E> total(E(0));
  for (long r = 0; r < count; r++)
    for_vectors<E>(C, [&](long c, auto n) { total = total + Vec<E>::load(rows.data + r * rows.row + c, n) * E(0); });
  return sum_lanes(total) == 0;  // 0 times NaN or an infinity is NaN
}

// The same rows, if they are finite; otherwise copies in own (count, C) with zeros for those that are not. A product
// with weights of 0 then is 0.
template <class E> Rows<E> finite_rows(const Rows<E>& rows, long count, long C, E* own) {
  if (all_finite(rows, count, C)) return rows;
  for (long r = 0; r < count; r++) {
    const E* from = rows.data + r * rows.row;
    if (!all_finite(Rows<E>{from, 0}, 1, C))
      std::fill_n(own + r * C, C, E(0));
    else if (from != own + r * C)
      std::copy_n(from, C, own + r * C);
  }
  return {own, C};
}

}  // namespace heed
