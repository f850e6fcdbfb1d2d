#include "nn/plan_cache.h"

#include <algorithm>

namespace heed {

const std::any* PlanCache::find(const Key& key) {
  const auto place = std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return plan.first == key; });
  if (place == plans_.end()) return nullptr;
  plans_.splice(plans_.begin(), plans_, place);
  return &place->second;
}

void PlanCache::keep(const Key& key, std::any value) {
  plans_.emplace_front(key, std::move(value));
  if (plans_.size() > kPlansKept) plans_.pop_back();
}

}  // namespace heed
