#include "tests/oracle/suite.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tests/support/compare.h"

using namespace heed;

std::vector<std::string> variant_names() { return all_variants.names(); }

std::vector<std::string> specs_of(const std::string& variant) {
  const Oracle* oracle = all_oracles.find_or_null(variant);
  std::string stem = variant;
  std::replace(stem.begin(), stem.end(), '-', '_');
  BOOST_TEST_REQUIRE(oracle != nullptr,
                     "the variant " << variant << " has no oracle: write tests/oracle/" << stem << ".cpp");
  std::vector<std::string> specs = {variant};
  specs.insert(specs.end(), oracle->specs.begin(), oracle->specs.end());
  return specs;
}

std::unique_ptr<Mixer> mixer_of(const std::string& spec, DType dtype, const MixerOptions& sizes) {
  auto mixer = make_mixer(spec, sizes);
  mixer->cast_parameters(dtype);
  uint32_t seed = 100;
  for (Parameter* p : mixer->parameters()) {
    const Tensor random = noise(p->value.shape(), seed++, f64);
    p->value.set_value(cast(random * 0.4, dtype));
  }
  return mixer;
}

Mask causal_if(bool causal) { return causal ? causal_mask() : Mask(); }

void does_not_apply(const std::string& why) { BOOST_TEST(!why.empty(), why); }
