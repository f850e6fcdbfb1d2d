// Box and Muller for many pairs of draws at once, in double. libm's log, sin and cos take one number at a time; these
// are written without branches, so that the compiler makes vector code of them, and for a GPU without tables in
// memory. The arguments are 32-bit draws, which makes them easy: no overflow, no NaN, and the angle is reduced without
// rounding. Errors: log 2 units in the last place of double, sine and cosine 2e-16.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace heed {

constexpr double unit_interval(uint32_t draw) { return (draw + 0.5) * 0x1p-32; }  // (0, 1): never 0, so log is finite

// log(u) for a normal number 0 < u < 2: u = 2^k z with z in [0.7, 1.4), log z = 2 (s + s^3 / 3 + s^5 / 5 + ...),
// s = (z - 1) / (z + 1), |s| < 0.18.
constexpr double log_of_unit(double u) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // the bits of sqrt(1/2)
  const uint64_t bits = std::bit_cast<uint64_t>(u);
  const uint64_t lifted = bits + (uint64_t(1024) << 52) - kRootHalf;  // its upper bits are k + 1024
  const double k = std::bit_cast<double>(lifted >> 52 | 0x4330000000000000) - (0x1p52 + 1024);
  const double z = std::bit_cast<double>((lifted & 0x000fffffffffffff) + kRootHalf);
  const double s = (z - 1) / (z + 1), t = s * s;
  double sum = 1.0 / 21;
  for (int n = 19; n > 1; n -= 2) sum = sum * t + 1.0 / n;
  return k * 0.69314718055994531 + (2 * s + 2 * s * t * sum);
}

// cosine and sine of x + quarter * pi / 2, for |x| <= pi / 4
struct Angle {
  double cosine, sine;
};
[[gnu::always_inline]] constexpr Angle angle_at(double x, uint32_t quarter) {
  const double t = x * x;
  double s = -1 / 1307674368000.0, c = 1 / 20922789888000.0;  // 1 / 15!, 1 / 16!
  s = s * t + 1 / 6227020800.0, c = c * t - 1 / 87178291200.0;
  s = s * t - 1 / 39916800.0, c = c * t + 1 / 479001600.0;
  s = s * t + 1 / 362880.0, c = c * t - 1 / 3628800.0;
  s = s * t - 1 / 5040.0, c = c * t + 1 / 40320.0;
  s = s * t + 1 / 120.0, c = c * t - 1 / 720.0;
  s = s * t - 1 / 6.0, c = c * t + 1 / 24.0;
  const double sine = x + x * t * s, cosine = 1 - 0.5 * t + t * t * c;
  const double odd = int32_t(quarter & 1);
  const double flip_cosine = 1 - 2.0 * int32_t((quarter + 1) >> 1 & 1), flip_sine = 1 - 2.0 * int32_t(quarter >> 1 & 1);
  return {flip_cosine * (odd != 0 ? sine : cosine), flip_sine * (odd != 0 ? cosine : sine)};
}

// cosine and sine of 2 pi (draw + 1/2) / 2^32
[[gnu::always_inline]] constexpr Angle angle_of(uint32_t draw) {
  const uint32_t quarter = (draw + 0x20000000u) >> 30;  // the nearest of 0, 1, 2, 3 (and 4, which is 0)
  return angle_at((int32_t(draw - (quarter << 30)) + 0.5) * (2 * 3.14159265358979323846 * 0x1p-32), quarter);
}

// draws (256) -> pairs (256): numbers 2 p and 2 p + 1 are normal, of mean 0 and deviation 1. Always as many: a draw has
// the same bits wherever it stands, with no loop's end in scalar code.
inline constexpr long kPairs = 128;
inline void normal_pairs(double* pairs, const uint32_t* draws) {
  uint32_t first[kPairs], second[kPairs];
  double radius[kPairs], cosine[kPairs], sine[kPairs];
  for (long p = 0; p < kPairs; p++) first[p] = draws[2 * p], second[p] = draws[2 * p + 1];
  for (long p = 0; p < kPairs; p++) radius[p] = std::sqrt(-2 * log_of_unit(unit_interval(first[p])));
  for (long p = 0; p < kPairs; p++) {
    const Angle angle = angle_of(second[p]);
    cosine[p] = angle.cosine, sine[p] = angle.sine;
  }
  for (long p = 0; p < kPairs; p++) pairs[2 * p] = radius[p] * cosine[p], pairs[2 * p + 1] = radius[p] * sine[p];
}

}  // namespace heed
