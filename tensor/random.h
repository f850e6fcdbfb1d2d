// Randomness without state: Philox4x32-10, a counter-based generator. A draw is a pure function of where it is used
// and for what, so the same seed gives the same numbers for any number of threads, ranks or micro-batches, on any
// device, and again when a recomputed block is recomputed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

using Philox4 = std::array<uint32_t, 4>;

// Ten rounds of Philox on one counter: four independent 32-bit draws.
constexpr Philox4 philox(Philox4 c, uint64_t key) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; round++) {
    const uint64_t p0 = uint64_t(c[0]) * 0xD2511F53u, p1 = uint64_t(c[2]) * 0xCD9E8D57u;
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k1, uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// The same for up to 64 counters at once, in vector registers: draws[i] = philox({word[0][i], ..., word[3][i]}, key)
// for i < n. Counters are given word by word, so that whole vectors of them are made in a line. `draws` has room for
// 64. As bytes, draws[i] is eight 16-bit numbers in the order of keep_mask (below).
inline constexpr long kPhiloxMany = 64;
struct PhiloxCounters {
  uint32_t word[4][kPhiloxMany] = {};
};
void philox_many(Philox4* draws, const PhiloxCounters& counters, long n, uint64_t key);

// Where randomness is drawn. Key of the generator = (seed, step); counter = (site, sample, i, j).
struct RandomKey {
  uint32_t seed = 0;
  uint32_t step = 0;
  uint32_t site = 0;    // hash of the user's path and use number
  uint32_t sample = 0;  // global number of the first example
  constexpr uint64_t key() const { return uint64_t(step) << 32 | seed; }
};

uint32_t site_hash(std::string_view path, uint32_t use = 0);  // FNV-1a over the path and the use number

// x[e] = draw number e: the counter is (site, sample, e / 4), four draws a call. uniform: low <= x < high.
Tensor uniform(const Shape& shape, const RandomKey& key, double low = 0, double high = 1, DType dtype = f32,
               Device device = cpu);
Tensor normal(const Shape& shape, const RandomKey& key, double mean = 0, double deviation = 1, DType dtype = f32,
              Device device = cpu);
Tensor randn(const Shape& shape, uint32_t seed, DType dtype = f32, Device device = cpu);  // normal, for experiments

// Which elements dropout keeps: x is (samples, tokens, channels); element (s, t, c) takes draw c % 8 of the counter
// (site, sample + s, t, c / 8), eight 16-bit draws a call, and is kept iff it is >= round(65536 p).
Tensor keep_mask(const Shape& shape, const RandomKey& key, double p, Device device = cpu);  // boolean
uint32_t keep_threshold(double p);                                                          // round(65536 p)

// Which elements of x (samples, tokens, channels) a kernel of dropout or keep_mask keeps.
struct KeepDraws {
  long samples, tokens, channels;
  RandomKey key;
  uint32_t threshold;  // a 16-bit draw that is at least this keeps its element
};

// For the backends. `low` and `span` are (low, high - low) of uniform or (mean, deviation) of normal.
namespace kernels {
template <class E> using RandomFill = Kernel<void(E* x, long numel, const RandomKey& key, double low, double span)>;
template <class E> inline RandomFill<E> uniform_fill{"uniform"};
template <class E> inline RandomFill<E> normal_fill{"normal"};
inline Kernel<void(bool* keep, const KeepDraws& draws)> keep_fill{"keep_mask"};
}  // namespace kernels

}  // namespace heed
