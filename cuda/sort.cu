// Sorting rows by a bitonic sort of (value, index) pairs, in place in the outputs: tiles of 1024 pairs in shared
// memory, and what lies further apart by a launch per round. Nothing is allocated, and any number of columns will do:
// pairs that are not there count as last ones, and stay where they are. topk finds the key of the k-th element bit by
// bit, collects those that come before it, and sorts them.
#include "tensor/ops/sort.h"

#include <bit>
#include <limits>
#include <type_traits>

#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"
#include "system/ceil_div.h"

namespace heed::cuda {
namespace {

constexpr long kTile = 1024;

// ---- the order

// Unsigned integers in the order of the elements. NaN comes after every number, whether the smallest or the largest is
// first; 0 and -0 are equal.
template <class E> using Key = std::conditional_t<sizeof(E) == 4, uint32_t, uint64_t>;

template <class E> __device__ Key<E> key_of(E x, bool descending) {
  constexpr Key<E> kSign = Key<E>(1) << (8 * sizeof(E) - 1);
  if (x != x) return std::numeric_limits<Key<E>>::max();
  const Key<E> bits = std::bit_cast<Key<E>>(x == 0 ? E(0) : x);
  const Key<E> rising = std::is_integral_v<E> ? bits ^ kSign : bits & kSign ? ~bits : bits | kSign;
  return descending ? ~rising : rising;
}

// Does (a, i) come before (b, j)? The index decides between equals, so no two tie: there is one order, the stable one.
template <class E> __device__ bool comes_before(E a, int64_t i, E b, int64_t j, bool descending) {
  const Key<E> first = key_of(a, descending), second = key_of(b, descending);
  return first < second || (first == second && i < j);
}

// ---- rounds of the sort: each compares pairs of places (low, high), and puts the first in order to the low one

struct Round {
  long distance;
  bool
      mirrored;  // the first round of a merge: a sorted half with the other one backwards, 2 * distance places together

  __device__ long low(long pair) const { return 2 * pair - (pair & (distance - 1)); }
  __device__ long high(long pair) const {
    return low(pair) + (mirrored ? 2 * (distance - (pair & (distance - 1))) - 1 : distance);
  }
};

template <class E> struct Pairs {
  E* values;
  int64_t* indices;
  long n;  // pairs that are there
  bool descending;

  __device__ void arrange(const Round& round, long pair) const {
    const long a = round.low(pair), b = round.high(pair);
    if (b >= n || !comes_before(values[b], indices[b], values[a], indices[a], descending)) return;
    const E value = values[a];
    const int64_t index = indices[a];
    values[a] = values[b], indices[a] = indices[b];
    values[b] = value, indices[b] = index;
  }
};

// All rounds of one merge inside of a tile, from some distance on
template <class E> __device__ void arrange_tile(const Pairs<E>& tile, long size, Round round) {
  for (; round.distance > 0; round = {round.distance / 2, false}) {
    for (long pair = threadIdx.x; pair < size / 2; pair += blockDim.x) tile.arrange(round, pair);
    __syncthreads();
  }
}

template <class E> struct SortTile {
  Pairs<E> rows;     // of n columns
  const E* x;        // null: the pairs are there already
  long size, tiles;  // places of a tile, tiles of a row
  bool merge;        // only the last rounds of a merge of several tiles

  __device__ void operator()(long r) const {
    HEED_SHARED(E, values, kTile);
    HEED_SHARED(int64_t, indices, kTile);
    const long first = r % tiles * size, at = r / tiles * rows.n + first;
    const Pairs<E> tile{values, indices, std::min(size, rows.n - first), rows.descending};
    for (long i = threadIdx.x; i < tile.n; i += blockDim.x) {
      values[i] = x ? x[at + i] : rows.values[at + i];
      indices[i] = x ? first + i : rows.indices[at + i];
    }
    __syncthreads();
    if (merge)
      arrange_tile(tile, size, {size / 2, false});
    else
      for (long distance = 1; distance < size; distance *= 2) arrange_tile(tile, size, {distance, true});
    for (long i = threadIdx.x; i < tile.n; i += blockDim.x) {
      rows.values[at + i] = values[i];
      rows.indices[at + i] = indices[i];
    }
    __syncthreads();  // the next tile is read to the same place
  }
};

// One round over all rows, for pairs that lie in different tiles
template <class E>
void arrange_rows(const char* op, const Pairs<E>& rows, long count, long places, const Round& round) {
  for_elements(op, count * (places / 2), [=] __device__(long e) {
    const long at = e / (places / 2) * rows.n;
    Pairs<E>{rows.values + at, rows.indices + at, rows.n, rows.descending}.arrange(round, e % (places / 2));
  });
}

// rows: `count` of them, one behind the other
template <class E> void sort_pairs(const char* op, const Pairs<E>& rows, const E* x, long count) {
  const long places = long(std::bit_ceil(size_t(rows.n))), size = std::min(places, kTile);
  const long tiles = ceil_div(rows.n, size);
  const int threads = int(std::clamp(size / 2, 32L, 512L));
  for_rows(op, count * tiles, threads, SortTile<E>{rows, x, size, tiles, false});
  for (long distance = size; distance < places; distance *= 2) {
    arrange_rows(op, rows, count, places, {distance, true});
    for (long step = distance / 2; step >= size; step /= 2) arrange_rows(op, rows, count, places, {step, false});
    for_rows(op, count * tiles, threads, SortTile<E>{rows, nullptr, size, tiles, true});
  }
}

// y, indices, x (rows, cols)
template <class E> void sort_rows(E* y, int64_t* indices, const E* x, long rows, long cols, bool descending) {
  sort_pairs("sort", Pairs<E>{y, indices, cols, descending}, x, rows);
}

// ---- topk

struct Counts {
  int less, equal;
};
// Over the threads before this one, and over all of the block
struct CountsBefore {
  Counts here, all;
};

__device__ CountsBefore counts_before(bool less, bool equal) {
  HEED_SHARED(int, part, 32);
  const int own = int(less) | int(equal) << 16, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = own;  // of this lane and those before it; the two counts are below 2^15
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, sum, unsigned(step));
    if (lane >= step) sum += left;
  }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  int all = 0, before = sum - own;
  for (int i = 0; i < int(blockDim.x) / 32; i++) {
    if (i < warp) before += part[i];
    all += part[i];
  }
  __syncthreads();  // the next one writes to part again
  return {{before & 0xffff, before >> 16}, {all & 0xffff, all >> 16}};
}

// x (rows, cols); y, indices (rows, k), in the order of x
template <class E> struct SelectRow {
  E* y;
  int64_t* indices;
  const E* x;
  TopkSizes s;
  bool largest;

  __device__ long count_below(const E* row, Key<E> limit) const {
    long count = 0;
    for (long j = threadIdx.x; j < s.cols; j += blockDim.x) count += key_of(row[j], largest) < limit;
    return sum_over_block(count);
  }

  // The largest key with less than k keys below it is that of the k-th element.
  __device__ void operator()(long r) const {
    const E* row = x + r * s.cols;
    Key<E> kth = 0;
    long less = 0;  // keys below it
    for (Key<E> bit = Key<E>(1) << (8 * sizeof(E) - 1); bit > 0; bit >>= 1) {
      const long count = count_below(row, kth | bit);
      if (count < s.k) kth |= bit, less = count;
    }
    collect(row, kth, r * s.k, r * s.k + less, (r + 1) * s.k);
  }

  // Elements before the k-th go to [less, equal), and then as many of its equals as there is room for, the first ones.
  __device__ void collect(const E* row, Key<E> kth, long less, long equal, long end) const {
    for (long first = 0; first < s.cols; first += blockDim.x) {
      const long j = first + threadIdx.x;
      const bool there = j < s.cols;
      const E value = there ? row[j] : E(0);
      const Key<E> key = key_of(value, largest);
      const bool is_less = there && key < kth, is_equal = there && key == kth;
      const CountsBefore counts = counts_before(is_less, is_equal);
      const long at = is_less ? less + counts.here.less : equal + counts.here.equal;
      if (is_less || (is_equal && at < end)) y[at] = value, indices[at] = j;
      less += counts.all.less, equal += counts.all.equal;
    }
  }
};

// x (rows, cols); y, indices (rows, k)
template <class E> void topk_rows(E* y, int64_t* indices, const E* x, const TopkSizes& s, bool largest) {
  if (s.k == 0) return;
  const Pairs<E> best{y, indices, s.k, largest};
  if (s.k == s.cols) return sort_pairs("topk", best, x, s.rows);
  for_rows("topk", s.rows, threads_for(s.cols), SelectRow<E>{y, indices, x, s, largest});
  sort_pairs("topk", best, static_cast<const E*>(nullptr), s.rows);
}

const OnCuda sort{kTypes<float, double, int64_t>, []<class E>(auto set) {
                    set(kernels::sort_rows<E>, sort_rows<E>);
                    set(kernels::topk_rows<E>, topk_rows<E>);
                  }};

}  // namespace
}  // namespace heed::cuda
