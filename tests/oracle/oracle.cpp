#include "tests/oracle/oracle.h"

#include <map>

using namespace heed;

namespace {

std::map<std::string, Oracle>& oracles() {  // made by whoever comes first: static objects have no order
  static std::map<std::string, Oracle> all;
  return all;
}

}  // namespace

RegisteredOracle::RegisteredOracle(Oracle oracle) { oracles()[oracle.variant] = std::move(oracle); }

const Oracle* find_oracle(const std::string& variant) {
  const auto found = oracles().find(variant);
  return found == oracles().end() ? nullptr : &found->second;
}

std::vector<std::string> oracle_names() {
  std::vector<std::string> names;
  for (const auto& [name, oracle] : oracles()) names.push_back(name);
  return names;
}

VariantOptions options_of(const std::string& spec) {
  const Variant& variant = find_variant(spec);
  return VariantOptions(spec, variant.name, variant.options);
}
