#include "tensor/random.h"

#include <cmath>
#include <numbers>

#include "tensor/cpu/keep_draws.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// Draws of a site from number `block` on, four 32-bit numbers each, 64 at a time: body(first, draws, count).
template <class Body> void for_blocks(const RandomKey& key, long begin, long end, Body&& body) {
  PhiloxCounters counters;
  std::fill_n(counters.word[0], kPhiloxMany, key.site);
  std::fill_n(counters.word[1], kPhiloxMany, key.sample);
  Philox4 draws[kPhiloxMany];
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

double unit(uint32_t draw) { return (draw + 0.5) * 0x1p-32; }  // (0, 1): never 0, so that log is finite

template <class T> void uniform_run(T* x, const uint32_t* draws, long n, double low, double span, T most) {
  for (long i = 0; i < n; i++) x[i] = std::min(T(low + span * unit(draws[i])), most);
}

template <class T> void uniform_cpu(T* x, long numel, const RandomKey& key, double low, double span) {
  const T most = std::nextafter(T(low + span), T(low));  // a draw next to 1 must not round up to `high`
  parallel_for((numel + 3) / 4, kElementGrain / 4, [&](long begin, long end) {
    for_blocks(key, begin, end, [&](long first, const Philox4* draws, long n) {
      uniform_run(x + 4 * first, draws->data(), std::min(4 * n, numel - 4 * first), low, span, most);
    });
  });
}

// Box and Muller: two uniform numbers become two normal ones.
template <class T> void normal_cpu(T* x, long numel, const RandomKey& key, double mean, double deviation) {
  parallel_for((numel + 3) / 4, kElementGrain / 16, [&](long begin, long end) {
    for_blocks(key, begin, end, [&](long first, const Philox4* draws, long n) {
      for (long i = 0; i < std::min(4 * n, numel - 4 * first); i++) {
        const Philox4& draw = draws[i / 4];
        const double radius = std::sqrt(-2 * std::log(unit(draw[i & 2])));
        const double angle = 2 * std::numbers::pi * unit(draw[(i & 3) | 1]);
        x[4 * first + i] = T(mean + deviation * radius * (i & 1 ? std::sin(angle) : std::cos(angle)));
      }
    });
  });
}

// keep (samples, tokens, channels)
void keep_cpu(bool* keep, long samples, long tokens, long channels, const RandomKey& key, uint32_t threshold) {
  parallel_for(samples * tokens, rows_grain(channels), [&](long begin, long end) {
    for_keep_draws(key, tokens, channels, begin, end, [&](long at, const uint16_t* draws, long n) {
      for (long i = 0; i < n; i++) keep[at + i] = draws[i] >= threshold;
    });
  });
}

const Registered uniform_f32{kernels::uniform_fill<float>, Backend::cpu, uniform_cpu<float>};
const Registered uniform_f64{kernels::uniform_fill<double>, Backend::cpu, uniform_cpu<double>};
const Registered normal_f32{kernels::normal_fill<float>, Backend::cpu, normal_cpu<float>};
const Registered normal_f64{kernels::normal_fill<double>, Backend::cpu, normal_cpu<double>};
const Registered keep_boolean{kernels::keep_fill, Backend::cpu, keep_cpu};

}  // namespace
}  // namespace heed
