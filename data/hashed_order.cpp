#include "data/hashed_order.h"

#include <algorithm>
#include <numeric>

#include "tensor/random.h"

namespace heed {

std::vector<size_t> hashed_order(const char* op, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  const uint32_t site = site_hash(op);
  std::vector<uint32_t> hashes;
  for (size_t i = 0; i < count; i++) hashes.push_back(philox({site, uint32_t(i), 0, 0}, 0)[0]);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
  return order;
}

}  // namespace heed
