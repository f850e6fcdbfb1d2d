// Uniform and normal numbers and random masks. Number i of a site depends on its key and on i alone (Philox, random.h),
// so threads may draw in any order.
#include "tensor/random.h"

#include <cmath>

#include "tensor/cpu/keep_draws.h"
#include "tensor/cpu/walk.h"
#include "tensor/normal_pairs.h"

namespace heed {
namespace {

// The draws [begin, end) of a site, four 32-bit numbers each, up to 64 at a time: body(first, draws, count).
template <class Body> void for_draws(const RandomKey& key, long begin, long end, Body&& body) {
  PhiloxCounters counters;
  std::fill_n(counters.word[0], kPhiloxMany, key.site);
  std::fill_n(counters.word[1], kPhiloxMany, key.sample);
  Philox4 draws[kPhiloxMany] = {};
  for (long block = begin; block < end; block += kPhiloxMany) {
    const long n = std::min(kPhiloxMany, end - block);
    for (long i = 0; i < kPhiloxMany; i++) {
      counters.word[2][i] = uint32_t(uint64_t(block + i) >> 32);
      counters.word[3][i] = uint32_t(block + i);
    }
    philox_many(draws, counters, n, key.key());
    body(block, draws, n);
  }
}

// x, draws (n)
template <class E> void uniform_run(E* x, const uint32_t* draws, long n, double low, double span, E most) {
  for (long i = 0; i < n; i++) x[i] = std::min(E(low + span * unit_interval(draws[i])), most);
}

// x (numel): uniform in [low, low + span)
template <class E> void uniform_cpu(E* x, long numel, const RandomKey& key, double low, double span) {
  const E most = std::nextafter(E(low + span), E(low));  // a draw next to 1 must not round up to `high`
  parallel_for((numel + 3) / 4, kElementGrain / 4, [&](long begin, long end) {
    for_draws(key, begin, end, [&](long first, const Philox4* draws, long n) {
      uniform_run(x + 4 * first, draws->data(), std::min(4 * n, numel - 4 * first), low, span, most);
    });
  });
}

// x, pairs (n)
template <class E> void normal_run(E* x, const double* pairs, long n, double mean, double deviation) {
  for (long i = 0; i < n; i++) x[i] = E(mean + deviation * pairs[i]);
}

// x (numel), by Box and Muller: two uniform numbers become two normal ones.
template <class E> void normal_cpu(E* x, long numel, const RandomKey& key, double mean, double deviation) {
  static_assert(2 * kPhiloxMany == kPairs);
  parallel_for((numel + 3) / 4, kElementGrain / 16, [&](long begin, long end) {
    for_draws(key, begin, end, [&](long first, const Philox4* draws, long n) {
      double pairs[2 * kPairs];
      normal_pairs(pairs, draws->data());
      normal_run(x + 4 * first, pairs, std::min(4 * n, numel - 4 * first), mean, deviation);
    });
  });
}

// keep (samples, tokens, channels): true with probability 1 - threshold / 2^16
void keep_cpu(bool* keep, const KeepDraws& s) {
  parallel_for(s.samples * s.tokens, rows_grain(s.channels), [&](long begin, long end) {
    for_keep_draws(s, begin, end, [&, threshold = s.threshold](long at, const uint16_t* draws, long n) {
      for (long i = 0; i < n; i++) keep[at + i] = draws[i] >= threshold;
    });
  });
}

const OnCpu keep_mask{[](auto set) { set(kernels::keep_fill, keep_cpu); }};
const OnCpu random{[]<class E>(auto set) {
  set(kernels::uniform_fill<E>, uniform_cpu<E>);
  set(kernels::normal_fill<E>, normal_cpu<E>);
}};

}  // namespace
}  // namespace heed
