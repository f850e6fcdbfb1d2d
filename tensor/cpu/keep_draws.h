// The 16-bit draws of keep_mask and dropout, row by row: many Philox counters at once.
#pragma once

#include <algorithm>
#include <cstring>

#include "system/ceil_div.h"
#include "tensor/random.h"

namespace heed {

// body(at, draws, n) for every run of elements in the rows [begin, end) of x (samples, tokens, channels): the run
// starts at element `at` of x and has the draws (n). A row is s * tokens + t.
template <class Body> void for_keep_draws(const KeepDraws& keep, long begin, long end, Body&& body) {
  const long tokens = keep.tokens, channels = keep.channels;
  const auto& key = keep.key;
  constexpr long kDraws = 8;  // of one counter
  const long counters_of_row = ceil_div(channels, kDraws), total = (end - begin) * counters_of_row;
  PhiloxCounters counters;
  Philox4 draws[kPhiloxMany];
  uint16_t halves[kDraws * kPhiloxMany];
  std::fill_n(counters.word[0], kPhiloxMany, key.site);
  for (long first = 0; first < total; first += kPhiloxMany) {
    const long n = std::min(kPhiloxMany, total - first);
    // run(row, j, i, count): counters j, j + 1, ... of a row are i, i + 1, ... here
    const auto for_runs = [&](auto&& run) {
      long row = begin + first / counters_of_row, j = first % counters_of_row;
      for (long i = 0, count; i < n; i += count, row++, j = 0) {
        count = std::min(n - i, counters_of_row - j);
        run(row, j, i, count);
      }
    };
    for_runs([&](long row, long j, long i, long count) {
      std::fill_n(counters.word[1] + i, count, key.sample + uint32_t(row / tokens));
      std::fill_n(counters.word[2] + i, count, uint32_t(row % tokens));
      for (long k = 0; k < count; k++) counters.word[3][i + k] = uint32_t(j + k);
    });
    philox_many(draws, counters, n, key.key());
    std::memcpy(halves, draws, sizeof halves);
    for_runs([&](long row, long j, long i, long count) {
      body(row * channels + kDraws * j, halves + kDraws * i, std::min(kDraws * count, channels - kDraws * j));
    });
  }
}

}  // namespace heed
