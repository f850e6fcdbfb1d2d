#include "tensor/random.h"

#include <cmath>
#include <numbers>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// Draw number `block` of a site: four 32-bit numbers.
Philox4 draws(const RandomKey& key, long block) {
  return philox({key.site, key.sample, uint32_t(block >> 32), uint32_t(block)}, key.key());
}

double unit(uint32_t draw) { return (draw + 0.5) * 0x1p-32; }  // (0, 1): never 0, so that log is finite

template <class T> void uniform_cpu(T* x, long numel, const RandomKey& key, double low, double span) {
  const T most = std::nextafter(T(low + span), T(low));  // a draw next to 1 must not round up to `high`
  parallel_for((numel + 3) / 4, kElementGrain / 4, [&](long begin, long end) {
    for (long block = begin; block < end; block++) {
      Philox4 draw = draws(key, block);
      for (long j = 0; j < 4 && 4 * block + j < numel; j++)
        x[4 * block + j] = std::min(T(low + span * unit(draw[j])), most);
    }
  });
}

// Box and Muller: two uniform numbers become two normal ones.
template <class T> void normal_cpu(T* x, long numel, const RandomKey& key, double mean, double deviation) {
  parallel_for((numel + 3) / 4, kElementGrain / 16, [&](long begin, long end) {
    for (long block = begin; block < end; block++) {
      Philox4 draw = draws(key, block);
      for (long j = 0; j < 4 && 4 * block + j < numel; j++) {
        double radius = std::sqrt(-2 * std::log(unit(draw[j & 2])));
        double angle = 2 * std::numbers::pi * unit(draw[j | 1]);
        x[4 * block + j] = T(mean + deviation * radius * (j & 1 ? std::sin(angle) : std::cos(angle)));
      }
    }
  });
}

// keep (samples, tokens, channels)
void keep_cpu(bool* keep, long samples, long tokens, long channels, const RandomKey& key, uint32_t threshold) {
  long grain = rows_grain(channels);
  parallel_for(samples * tokens, grain, [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      uint32_t sample = key.sample + uint32_t(row / tokens), token = uint32_t(row % tokens);
      Philox4 draw{};
      for (long c = 0; c < channels; c++) {
        if (c % 8 == 0) draw = philox({key.site, sample, token, uint32_t(c / 8)}, key.key());
        uint32_t half = draw[c % 8 / 2] >> (c % 2 * 16) & 0xffff;
        keep[row * channels + c] = half >= threshold;
      }
    }
  });
}

const Registered uniform_f32{kernels::uniform_fill<float>, Backend::cpu, uniform_cpu<float>};
const Registered uniform_f64{kernels::uniform_fill<double>, Backend::cpu, uniform_cpu<double>};
const Registered normal_f32{kernels::normal_fill<float>, Backend::cpu, normal_cpu<float>};
const Registered normal_f64{kernels::normal_fill<double>, Backend::cpu, normal_cpu<double>};
const Registered keep_boolean{kernels::keep_fill, Backend::cpu, keep_cpu};

}  // namespace
}  // namespace heed
