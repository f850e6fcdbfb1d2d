// PlanCache: values that are made once and found again by their type and a text; it keeps those used last. A sequence
// of another length is another plan, so without a bound a long run would keep one for every length that it has met.
#pragma once

#include <any>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>

namespace heed {

inline constexpr size_t kPlansKept = 64;

class PlanCache {
 public:
  // The same text names another value for another type. `make` may ask the cache itself, and may throw.
  template <class Value> std::shared_ptr<const Value> get(const std::string& text, const std::function<Value()>& make) {
    const Key key{typeid(Value), text};
    if (const std::any* found = find(key)) return std::any_cast<std::shared_ptr<const Value>>(*found);
    auto made = std::make_shared<const Value>(make());
    keep(key, made);
    return made;
  }

 private:
  using Key = std::pair<std::type_index, std::string>;
  const std::any* find(const Key& key);  // null: it is not there
  void keep(const Key& key, std::any value);

  std::list<std::pair<Key, std::any>> plans_;  // the one used last is first
};

}  // namespace heed
