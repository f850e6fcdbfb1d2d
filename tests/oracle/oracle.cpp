#include "tests/oracle/oracle.h"

#include "tensor/copy.h"

using namespace heed;

Sees every_pair(const OracleCase&) {
  return [](const OraclePair&) { return true; };
}

VariantOptions options_of(const std::string& spec) {
  const Variant& variant = find_variant(spec);
  return VariantOptions(spec, variant.name, variant.options());
}

MixerOptions complete(MixerOptions s) {
  if (s.head_width == 0) s.head_width = s.C / s.heads;
  if (s.value_width == 0) s.value_width = s.head_width;
  if (s.key_heads == 0) s.key_heads = s.heads;
  return s;
}

OracleCase::OracleCase(const VariantOptions& options, const MixerOptions& sizes, Mixer& mixer, const Mask& mask,
                       DType dtype)
    : options(options), sizes(sizes), mixer(mixer), mask(mask), dtype(dtype) {
  for (Parameter* p : mixer.parameters())
    parameters.emplace(p->path, Variable::leaf(clone(cast(p->value.value(), dtype))));
}

Variable OracleCase::parameter(const std::string& path) const {
  const auto found = parameters.find(path);
  return found == parameters.end() ? Variable() : found->second;
}
