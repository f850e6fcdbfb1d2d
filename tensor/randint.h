// Whole numbers at random: draws of Philox (random.h), so that the same key gives the same numbers everywhere.
//
//   const Tensor dice = randint({2, 10}, 1, 7, /*seed=*/3);     // i64, from 1 to 6
//   const Tensor rows = randint({64}, {.seed = 3, .step = step}, 0, examples);
#pragma once

#include "tensor/random.h"

namespace heed {

// i64, low <= x < high, all equally likely. Element e is half e % 2 of the draw at the counter (site, sample, e / 2).
Tensor randint(const Shape& shape, const RandomKey& key, long low, long high, Device device = cpu);
Tensor randint(const Shape& shape, long low, long high, uint32_t seed, Device device = cpu);  // for experiments

}  // namespace heed
