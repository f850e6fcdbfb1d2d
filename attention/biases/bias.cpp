#include "attention/biases/bias.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {

Distances distances_of(const SoftmaxInputs& in) {
  if (!in.query_positions.defined()) return {1 - in.q.size(2), in.k.size(2) - 1};
  const long most = largest_distance(in.query_positions, in.key_positions);
  return {-most, most};
}

Tensor distance_table(Context& ctx, const std::string& name, const Distances& wanted, Device device,
                      const std::function<Tensor(const Distances& d)>& make) {
  const long most = std::max({0L, -wanted.first, wanted.last}), N = long(std::bit_ceil(size_t(most + 1)));
  std::ostringstream key;
  key << name << " " << N << " " << device;
  const auto table = ctx.plan<Tensor>(key.str(), [&] { return to(make({1 - N, N - 1}), device); });
  return slice(*table, -1, wanted.first + N - 1, wanted.last + N);
}

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
