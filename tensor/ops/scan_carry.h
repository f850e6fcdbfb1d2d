// What a scan carries along a column, for every backend: its State. take() brings in the element at offset `at`, which
// is number i of its column; join() brings in the State of a block of the column that starts at offset `column`; put()
// writes the result for an element. So a column may be scanned block by block.
#pragma once

#include <cstdint>

namespace heed {

template <class E> struct CarrySum {
  using State = double;
  static constexpr State nothing = 0;
  E* y;
  const E* x;
  constexpr void take(State& sum, long at, long) const { sum += double(x[at]); }
  constexpr void join(State& sum, State block, long) const { sum += block; }
  constexpr void put(State sum, long at, long) const { y[at] = E(sum); }
};

template <class E> struct CarryMax {  // carries the place of the maximum
  using State = int64_t;
  static constexpr State nothing = -1;
  E* y;
  int64_t* indices;
  const E* x;
  long inner;
  constexpr void take(State& best, long at, long i) const {
    if (best < 0) {
      best = i;
      return;
    }
    const E value = x[at], top = x[at - (i - best) * inner];
    if (value > top || (value != value && top == top)) best = i;  // NaN wins, the first one
  }
  constexpr void join(State& best, State block, long column) const { take(best, column + block * inner, block); }
  constexpr void put(State best, long at, long i) const {
    y[at] = x[at - (i - best) * inner];
    indices[at] = best;
  }
};

}  // namespace heed
