#include "tensor/dropout.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// y, x (samples, tokens, channels): draws exactly what keep_mask draws, eight 16-bit numbers a call.
template <class T>
void dropout_cpu(T* y, const T* x, long samples, long tokens, long channels, const RandomKey& key, uint32_t threshold,
                 T scale) {
  constexpr long kDraws = 8;
  const long grain = rows_grain(channels, 8);
  parallel_for(samples * tokens, grain, [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      const uint32_t sample = key.sample + uint32_t(row / tokens), token = uint32_t(row % tokens);
      for (long c = 0; c < channels; c += kDraws) {
        const Philox4 draw = philox({key.site, sample, token, uint32_t(c / kDraws)}, key.key());
        const T* in = x + row * channels + c;
        T* out = y + row * channels + c;
        for (long j = 0; j < std::min(kDraws, channels - c); j++) {
          const uint32_t half = draw[size_t(j / 2)] >> (j % 2 * 16) & 0xffff;
          out[j] = half >= threshold ? in[j] * scale : T(0);
        }
      }
    }
  });
}

const Registered dropout_f32{kernels::dropout<float>, Backend::cpu, dropout_cpu<float>};
const Registered dropout_f64{kernels::dropout<double>, Backend::cpu, dropout_cpu<double>};

}  // namespace
}  // namespace heed
