#include "attention/biases/bias.h"

namespace heed {

std::vector<VariantOption> bias_options() {
  std::vector<VariantOption> list = {{.name = "bias", .help = "by distance", .standard = "none", .choices = {"none"}}};
  for (const BiasKind* kind : all_biases.all()) {
    list[0].choices.push_back(kind->name);
    list.insert(list.end(), kind->options.begin(), kind->options.end());
  }
  return list;
}

BiasMaker bias_of(const VariantOptions& options) {
  const std::string& name = options.word("bias");
  if (name == "none") return nullptr;
  return [options, &kind = all_biases.find(name)](const MixerOptions& mixer, const ParameterMaker& parameter) {
    return kind.make(options, mixer, parameter);
  };
}

}  // namespace heed
