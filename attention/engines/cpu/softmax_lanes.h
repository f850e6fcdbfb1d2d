// Who sees whom in a tile of up to 64 queries by 64 keys, for forward and backward of the softmax engine: the queries'
// lanes, the tiles of keys that they look at, and the rows of both, which a plan may gather from anywhere.
#pragma once

#include <limits>

#include "attention/engines/softmax_engine.h"
#include "tensor/cpu/simd.h"

namespace heed {

using kernels::SoftmaxSizes;

inline constexpr long kTile = kPlanTile;

// Places of queries or keys that lie side by side, and the tokens there.
struct Places {
  long begin, count;
  const int32_t* token = nullptr;  // of each place, -1: none; null: a place is its token
  long at(long r) const { return token ? token[r] : begin + r; }
};

struct KeyTile : Places {
  long least, most;                // all its tokens lie between these; least < 0: a place is empty
  const uint64_t* bits = nullptr;  // of the plan, by keys, a bit for every lane; null: it allows all pairs
};

// The queries of one tile, lane by lane; lanes beyond the last query and empty places see nothing.
template <class E> struct Lanes {
  using Element = std::conditional_t<sizeof(E) == 4, int32_t, int64_t>;
  alignas(64) Element first[kTile], last[kTile], label[kTile];
  int32_t token[kTile];
  const SoftmaxSizes& z;
  long b, h, tile, begin, n;                                            // queries begin .. begin + n
  long least_first = std::numeric_limits<long>::max(), most_last = -1;  // over those that see something
  long most_first = 0, least_last = std::numeric_limits<long>::max();   // over all of them
  const int32_t* key_labels = nullptr;                                  // of this sample
  const bool* allow = nullptr;                                          // of this sample and head

  Lanes(const SoftmaxSizes& s, long sample, long head, long number)
      : z(s), b(sample), h(head), tile(number), begin(number * kTile), n(std::min(kTile, s.T - begin)) {
    const int32_t* index = s.query_index ? s.query_index + b * s.query_index_b + h * s.query_index_h : nullptr;
    const int32_t *from = s.first + b * s.range_b, *to = s.last + b * s.range_b;
    const int32_t* labels = s.query_labels ? s.query_labels + b * s.query_labels_b : nullptr;
    for (long i = 0; i < kTile; i++) {
      token[i] = i >= n ? -1 : index ? index[begin + i] : int32_t(begin + i);
      const bool here = token[i] >= 0;
      first[i] = here ? from[token[i]] : 1, last[i] = here ? to[token[i]] : 0;
      label[i] = here && labels ? labels[token[i]] : 0;
      if (i >= n) continue;
      most_first = std::max<long>(most_first, first[i]), least_last = std::min<long>(least_last, last[i]);
      if (first[i] > last[i]) continue;
      least_first = std::min<long>(least_first, first[i]), most_last = std::max<long>(most_last, last[i]);
    }
    if (s.query_labels) key_labels = s.key_labels + b * s.key_labels_b;
    if (s.allow) allow = s.allow + b * s.allow_b + h * s.allow_h;
  }

  Places places() const { return {begin, n, z.query_index ? token : nullptr}; }

  // Calls look(KeyTile) for the tiles of keys that have a visible one, in rising order.
  template <class F> void for_key_tiles(F&& look) const {
    const long end = std::min(most_last + 1, z.key_tokens);
    if (z.plan) return for_planned_tiles(look, end);
    for (long j = least_first / kTile * kTile; j < end; j += kTile) look(tile_at(j, end));
  }

  bool sees_all(const KeyTile& keys) const {
    return most_first <= keys.least && least_last >= keys.most && !key_labels && !allow && !keys.bits;
  }

  // s (count, 64): -infinity where a pair is not visible
  void hide(E* s, const KeyTile& keys) const {
    for (long r = 0; r < keys.count; r++, s += kTile) {
      const long key = keys.at(r);
      if (key < 0)
        std::fill_n(s, kTile, -std::numeric_limits<E>::infinity());
      else
        hide_key(s, Element(key), keys.bits ? keys.bits[r] : ~uint64_t(0));
    }
  }

 private:
  // Keys at places j ..; behind `end` nobody sees one.
  static KeyTile tile_at(long j, long end) {
    const long count = std::min(kTile, end - j);
    return {{j, count}, j, j + count - 1};
  }

  template <class F> void for_planned_tiles(F&& look, long end) const {
    const Plan& plan = *z.plan;
    const size_t row = size_t(plan.row(b, h, tile));
    const int32_t* index = z.key_index ? z.key_index + b * z.key_index_b + h * z.key_index_h : nullptr;
    for (size_t e = size_t(plan.begin[row]); e < size_t(plan.begin[row + 1]); e++) {
      const long j = plan.key_tile[e] * kTile;
      KeyTile keys = tile_at(j, index ? z.S : end);
      if (index) {
        keys.token = index + j;
        const auto [low, high] = std::minmax_element(keys.token, keys.token + keys.count);
        keys.least = *low, keys.most = *high;
      }
      if (keys.count <= 0 || keys.most < least_first || keys.least >= end) continue;
      if (plan.bits[e] != Plan::kFull) keys.bits = plan.tiles[size_t(plan.bits[e])].data();
      look(keys);
    }
  }

  // A row of 64 scores of one key, with the word of the plan
  void hide_key(E* s, Element key, uint64_t word) const {
    using Int = typename Vec<E>::Int;
    constexpr long kLanes = Vec<E>::kLanes;
    const Vec<E> nothing(-std::numeric_limits<E>::infinity());
    Int power{};
    for (long i = 0; i < kLanes; i++) power[i] = Element(1) << i;
    for (long x = 0; x < kTile; x += kLanes) {
      auto lanes = [&](const Element* p) { return *reinterpret_cast<const Int*>(p + x); };
      Int seen = (lanes(first) <= key) & (lanes(last) >= key);
      seen &= ((Element(word >> x) - Int{}) & power) != 0;
      if (key_labels) seen &= lanes(label) == Element(key_labels[key]);
      if (allow)
        for (long i = 0; i < kLanes; i++)
          if (token[x + i] >= 0 && !allow[token[x + i] * z.allow_i + key * z.allow_j]) seen[i] = 0;
      select(seen, Vec<E>::load(s + x), nothing).store(s + x);
    }
  }
};

// ---- rows of q, k and v

template <class E> struct Rows {
  const E* data;
  long row;  // from one to the next
};

// The rows of x (tokens, C) at these places: where they lie, or gathered in own (count, C).
template <class E> Rows<E> rows_at(const Places& places, const E* x, long x_row, long C, E* own) {
  if (!places.token) return {x + places.begin * x_row, x_row};
  for (long r = 0; r < places.count; r++)
    if (places.token[r] >= 0)
      std::copy_n(x + places.token[r] * x_row, C, own + r * C);
    else
      std::fill_n(own + r * C, C, E(0));
  return {own, C};
}

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
