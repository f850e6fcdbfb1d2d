#include "tensor/randint.h"

#include <vector>

#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {

Tensor randint(const Shape& shape, const RandomKey& key, long low, long high, Device device) {
  HEED_CHECK(low < high, "randint", "low is ", low, " and high is ", high, "; the rule is low < high");
  const uint64_t range = uint64_t(high) - uint64_t(low);
  std::vector<int64_t> numbers(size_t(shape.numel()));
  Philox4 draws = {};
  for (size_t e = 0; e < numbers.size(); e++) {
    const uint64_t call = e / 2;
    if (e % 2 == 0) draws = philox({key.site, key.sample, uint32_t(call), uint32_t(call >> 32)}, key.key());
    const uint64_t bits = uint64_t(draws[2 * (e % 2)]) << 32 | draws[2 * (e % 2) + 1];
    // bits / 2^64 of the range: no number is likelier than another by more than range / 2^64
    numbers[e] = int64_t(uint64_t(low) + uint64_t((__uint128_t(bits) * range) >> 64));
  }
  return to(from_vector(numbers, shape), device);
}

Tensor randint(const Shape& shape, long low, long high, uint32_t seed, Device device) {
  return randint(shape, {.seed = seed, .site = site_hash("randint")}, low, high, device);
}

}  // namespace heed
