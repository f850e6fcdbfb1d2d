// Philox for many counters at once, in vector registers. A counter's word lives in the lower half of a 64-bit lane:
// there the product of two words has room, and what a round leaves in the upper half is never looked at.
#include <bit>
#include <cstring>
#include <utility>

#include "tensor/random.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"  // without AVX: nobody outside of this file is given a vector

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "words are taken from the halves of 64-bit lanes");

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef uint64_t Lanes __attribute__((vector_size(8 * kLanes)));

// The products of the lower halves. The compiler has an instruction for it, but does not find it by itself.
inline Lanes multiply(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  return Lanes(_mm512_maskz_mul_epu32(0xff, __m512i(a), __m512i(b)));  // all lanes; g++ 12 warns of the plain one
#elif defined(__AVX2__)
  return Lanes(_mm256_mul_epu32(__m256i(a), __m256i(b)));
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

inline Lanes all(uint32_t value) { return Lanes{} + value; }

// 2 kLanes counters: those with even numbers are in e, the others in o.
struct Words {
  Lanes e, o;

  static Words load(const uint32_t* words) {
    Lanes pairs;
    std::memcpy(&pairs, words, sizeof pairs);
    return {pairs, pairs >> 32};
  }
  Words operator^(const Words& b) const { return {e ^ b.e, o ^ b.o}; }
  Words operator*(uint32_t factor) const { return {multiply(e, all(factor)), multiply(o, all(factor))}; }
  Words operator>>(int bits) const { return {e >> bits, o >> bits}; }
};

// Lanes of a and b in turn, `unit` of them at a time: of each pair of units the first ones, or the second ones.
template <int unit, bool second, int... i> Lanes interleave(Lanes a, Lanes b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(
      a, b, (i / unit % 2 * kLanes + i / (2 * unit) * 2 * unit + i % unit + (second ? unit : 0))...);
}
template <int unit, bool second> Lanes interleave(Lanes a, Lanes b) {
  return interleave<unit, second>(a, b, std::make_integer_sequence<int, kLanes>());
}

// ab holds counters 0, 1, 8, 9, ... and cd 2, 3, 10, 11, ...
inline void store_pairs(Philox4* draws, Lanes ab, Lanes cd) {
  for (int part = 0; part < kLanes / 4; part++) {
    std::memcpy(static_cast<void*>(draws + 8 * part), reinterpret_cast<const char*>(&ab) + 32 * part, 32);
    std::memcpy(static_cast<void*>(draws + 8 * part + 2), reinterpret_cast<const char*>(&cd) + 32 * part, 32);
  }
}

// Puts each counter's four words side by side.
inline void store(Philox4* draws, const Words& c0, const Words& c1, const Words& c2, const Words& c3) {
  const auto pair = [](Lanes low, Lanes high) { return (low & 0xffffffff) | high << 32; };
  const Lanes e01 = pair(c0.e, c1.e), e23 = pair(c2.e, c3.e), o01 = pair(c0.o, c1.o), o23 = pair(c2.o, c3.o);
  const Lanes n0 = interleave<1, false>(e01, e23),
              n1 = interleave<1, false>(o01, o23);                                     // counters 0, 4, ...; 1, 5, ...
  const Lanes n2 = interleave<1, true>(e01, e23), n3 = interleave<1, true>(o01, o23);  // 2, 6, ...; 3, 7, ...
  store_pairs(draws, interleave<2, false>(n0, n1), interleave<2, false>(n2, n3));
  store_pairs(draws + 4, interleave<2, true>(n0, n1), interleave<2, true>(n2, n3));
}

}  // namespace

void philox_many(Philox4* draws, const PhiloxCounters& counters, long n, uint64_t key) {
  static_assert(kPhiloxMany % (2 * kLanes) == 0);
  for (long i = 0; i < n; i += 2 * kLanes) {
    Words c0 = Words::load(counters.word[0] + i), c1 = Words::load(counters.word[1] + i);
    Words c2 = Words::load(counters.word[2] + i), c3 = Words::load(counters.word[3] + i);
#pragma GCC unroll 10
    for (uint32_t round = 0; round < 10; round++) {
      const Lanes k0 = all(uint32_t(key) + round * 0x9E3779B9u), k1 = all(uint32_t(key >> 32) + round * 0xBB67AE85u);
      const Words p0 = c0 * 0xD2511F53u, p1 = c2 * 0xCD9E8D57u;
      c0 = (p1 >> 32) ^ c1 ^ Words { k0, k0 }, c1 = p1;
      c2 = (p0 >> 32) ^ c3 ^ Words { k1, k1 }, c3 = p0;
    }
    store(draws + i, c0, c1, c2, c3);
  }
}

}  // namespace heed
