#include "tests/oracle/oracle.h"

using namespace heed;

VariantOptions options_of(const std::string& spec) {
  const Variant& variant = find_variant(spec);
  return VariantOptions(spec, variant.name, variant.options());
}
