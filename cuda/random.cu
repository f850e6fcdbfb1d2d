// Uniform and normal numbers and random masks: a thread per Philox counter, so that number i has the bits that it has
// on the cpu. Normal ones are the same up to rounding: the square root and fused products are the device's.
#include "tensor/random.h"

#include "cuda/keep_draws.cuh"
#include "cuda/walk.cuh"
#include "tensor/normal_pairs.h"

namespace heed::cuda {
namespace {

// The four draws of counter number `block` of a site
__device__ Philox4 draws_of(const RandomKey& key, long block) {
  return philox({key.site, key.sample, uint32_t(uint64_t(block) >> 32), uint32_t(block)}, key.key());
}

// x (numel): uniform in [low, low + span)
template <class E> void uniform_fill(E* x, long numel, const RandomKey& key, double low, double span) {
  const E most = std::nextafter(E(low + span), E(low));  // a draw next to 1 must not round up to `high`
  for_elements("uniform", ceil_div(numel, 4), [=] __device__(long block) {
    const Philox4 draws = draws_of(key, block);
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (4 * block + i < numel) x[4 * block + i] = std::min(E(low + span * unit_interval(draws[i])), most);
  });
}

// x (numel), by Box and Muller: two uniform numbers become two normal ones.
template <class E> void normal_fill(E* x, long numel, const RandomKey& key, double mean, double deviation) {
  for_elements("normal", ceil_div(numel, 4), [=] __device__(long block) {
    const Philox4 draws = draws_of(key, block);
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const double radius = std::sqrt(-2 * log_of_unit(unit_interval(draws[i])));
      const Angle angle = angle_of(draws[i + 1]);
      const long at = 4 * block + i;
      if (at < numel) x[at] = E(mean + deviation * (radius * angle.cosine));
      if (at + 1 < numel) x[at + 1] = E(mean + deviation * (radius * angle.sine));
    }
  });
}

// keep (samples, tokens, channels): true with probability 1 - threshold / 2^16
void keep_fill(bool* keep, const KeepDraws& s) {
  const uint32_t threshold = s.threshold;
  for_keep_draws("keep_mask", s, [=] __device__(long at, uint32_t draw) { keep[at] = draw >= threshold; });
}

const OnCuda keep_mask{[](auto set) { set(kernels::keep_fill, keep_fill); }};
const OnCuda random_numbers{[]<class E>(auto set) {
  set(kernels::uniform_fill<E>, uniform_fill<E>);
  set(kernels::normal_fill<E>, normal_fill<E>);
}};

}  // namespace
}  // namespace heed::cuda
