// What forward and backward of the softmax engine share: one tile of up to 64 queries by 64 keys. Queries lie in the
// lanes: a tile of scores is s^T (keys, 64), and so every query has its own lane from the product to the sum, no lane ever
// looks at another, and any number of keys is fine. Scores are in units of log 2: exp becomes 2^x.
#pragma once

#include <cmath>

#include "attention/softmax_engine.h"
#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/turned_copy.h"

namespace heed {

using kernels::SoftmaxSizes;

inline constexpr long kTile = 64;
inline constexpr double kLog2e = 1.44269504088896340736, kLog2 = 0.69314718055994530942;

// to (C, 64) = factor * from (n, C)^T, zeros in the lanes beyond n
template <class T> void turn_in(T* to, const T* from, long from_row, long n, long C, T factor) {
  turn(to, kTile, from, from_row, C, n);
  for (long c = 0; c < C; c++) {
    for (long i = 0; i < n; i++) to[c * kTile + i] *= factor;
    for (long i = n; i < kTile; i++) to[c * kTile + i] = 0;
  }
}

// ---- which pairs of a tile are visible

// The queries of one tile, lane by lane; lanes beyond the last query see nothing.
template <class T> struct Lanes {
  using Element = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  alignas(64) Element first[kTile], last[kTile], label[kTile];
  long begin, n;                                        // queries begin .. begin + n
  long least_first, most_first, least_last, most_last;  // over the n queries
  const int32_t* key_labels = nullptr;                  // of this sample
  const bool* allow = nullptr;                          // of this sample, head and the first query
  long allow_i, allow_j;

  Lanes(const SoftmaxSizes& s, long b, long h, long tile) : begin(tile * kTile), n(std::min(kTile, s.T - begin)) {
    const int32_t* from = s.first + b * s.range_b + begin;
    const int32_t* to = s.last + b * s.range_b + begin;
    least_first = most_first = from[0], least_last = most_last = to[0];
    for (long i = 0; i < kTile; i++) {
      first[i] = i < n ? from[i] : 1, last[i] = i < n ? to[i] : 0;
      label[i] = i < n && s.query_labels ? s.query_labels[b * s.query_labels_b + begin + i] : 0;
      if (i >= n) continue;
      least_first = std::min<long>(least_first, from[i]), most_first = std::max<long>(most_first, from[i]);
      least_last = std::min<long>(least_last, to[i]), most_last = std::max<long>(most_last, to[i]);
    }
    if (s.query_labels) key_labels = s.key_labels + b * s.key_labels_b;
    if (s.allow) allow = s.allow + b * s.allow_b + h * s.allow_h + begin * s.allow_i;
    allow_i = s.allow_i, allow_j = s.allow_j;
  }

  // Tiles of keys that have a visible one: [first_tile, end_tile)
  long first_tile() const { return std::max(0L, least_first) / kTile; }
  long end_tile(long S) const { return std::min(S - 1, most_last) < 0 ? 0 : std::min(S - 1, most_last) / kTile + 1; }
  bool sees_all(long j, long count) const {
    return most_first <= j && least_last >= j + count - 1 && !key_labels && !allow;
  }

  // s (count, 64), keys j ..: -infinity where a pair is not visible
  void hide(T* s, long j, long count) const {
    using Int = typename Vec<T>::Int;
    constexpr long L = Vec<T>::kLanes;
    const Vec<T> nothing(-std::numeric_limits<T>::infinity());
    for (long r = 0; r < count; r++, s += kTile) {
      const Element key = Element(j + r);
      for (long x = 0; x < kTile; x += L) {
        auto lanes = [&](const Element* p) { return *reinterpret_cast<const Int*>(p + x); };
        Int seen = (lanes(first) <= key) & (lanes(last) >= key);
        if (key_labels) seen &= lanes(label) == Element(key_labels[j + r]);
        if (allow)
          for (long i = 0; i < L; i++)
            if (x + i < n && !allow[(x + i) * allow_i + (j + r) * allow_j]) seen[i] = 0;
        select(seen, Vec<T>::load(s + x), nothing).store(s + x);
      }
    }
  }
};

// ---- biases and dropout

// s (count, 64) += log2(e) * bias, keys j ..; by_distance (T + S - 1) of this head, by_query (T, 2 c + 1)
template <class T>
void add_biases(T* s, const T* by_distance, const T* by_query, const SoftmaxSizes& z, const Lanes<T>& lanes, long j,
                long count) {
  if (by_distance)
    for (long r = 0; r < count; r++) {
      const T* bias = by_distance + lanes.begin + z.S - 1 - (j + r);
      for (long i = 0; i < lanes.n; i++) s[r * kTile + i] += T(kLog2e) * bias[i];
    }
  if (by_query)
    for (long r = 0; r < count; r++)
      for (long i = 0; i < lanes.n; i++) {
        const long query = lanes.begin + i, away = std::clamp(j + r - (query + z.S - z.T), -z.clip, z.clip);
        s[r * kTile + i] += T(kLog2e) * by_query[query * (2 * z.clip + 1) + away + z.clip];
      }
}

// The other way: what the scores' gradient ds (count, 64) is for the biases' entries.
template <class T>
void add_bias_gradients(T* dby_distance, T* dby_query, const T* ds, const SoftmaxSizes& z, const Lanes<T>& lanes,
                        long j, long count) {
  if (dby_distance)
    for (long r = 0; r < count; r++) {
      T* bias = dby_distance + lanes.begin + z.S - 1 - (j + r);
      for (long i = 0; i < lanes.n; i++) bias[i] += ds[r * kTile + i];
    }
  if (dby_query)
    for (long r = 0; r < count; r++)
      for (long i = 0; i < lanes.n; i++) {
        const long query = lanes.begin + i, away = std::clamp(j + r - (query + z.S - z.T), -z.clip, z.clip);
        dby_query[query * (2 * z.clip + 1) + away + z.clip] += ds[r * kTile + i];
      }
}

// keep (count, 64): 1 / (1 - p) where dropout keeps a pair, 0 elsewhere
template <class T>
void draw_keep(T* keep, const SoftmaxSizes& z, const Lanes<T>& lanes, long b, long h, long j, long count) {
  PhiloxCounters counters;
  Philox4 draws[kPhiloxMany];
  const T scale = T(z.keep_scale);
  for (long i = 0; i < kTile; i++) {
    counters.word[0][i] = z.key.site + uint32_t(h) * 0x9E3779B9u;
    counters.word[1][i] = z.key.sample + uint32_t(b);
    counters.word[2][i] = uint32_t(lanes.begin + i + z.S - z.T);
  }
  for (long block = 0; block < count; block += 8) {  // j is a multiple of 8
    std::fill_n(counters.word[3], kTile, uint32_t((j + block) / 8));
    philox_many(draws, counters, kTile, z.key.key());
    for (long r = block; r < std::min(count, block + 8); r++)
      for (long i = 0; i < kTile; i++) {
        const uint32_t half = draws[i][size_t((r - block) / 2)] >> ((r - block) % 2 * 16) & 0xffff;
        keep[r * kTile + i] = half >= z.threshold ? scale : T(0);
      }
  }
}

}  // namespace heed
