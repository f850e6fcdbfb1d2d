// ALiBi, attention with linear biases: tokens are not told where they stand; instead every head cares less for a key
// the farther away it is, each at its own fixed rate. Heads with a steep slope look nearby, heads with a flat one far.
//
//   bias_ij = -m_h |p_i - p_j|,   m_h = 2^(-8 (h + 1) / H)          for a power of two H
//
// For other H: the slopes of the power of two below, then every second one of the power of two above. Nothing is
// learned; the cost is a table of T + S - 1 numbers per head. (Train Short, Test Long: Press et al., 2021.)
//
// It pays off where texts are longer than those in training: a distance that was never seen is just a little farther.
// It loses where something far away matters as much as its neighbour, since every head fades with distance, and in
// encoders it cannot tell before from after.
#include <algorithm>
#include <bit>
#include <cmath>

#include "attention/biases/bias.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

std::vector<double> slopes_of(long H) {
  const long whole = long(std::bit_floor(size_t(std::max(1L, H))));
  std::vector<double> slopes;
  for (long h = 0; h < whole; h++) slopes.push_back(std::exp2(-8.0 * double(h + 1) / double(whole)));
  for (long t = 0; whole + t < H; t++) slopes.push_back(std::exp2(-4.0 * double(2 * t + 1) / double(whole)));
  slopes.resize(size_t(H));
  return slopes;
}

// (H, distances): -m_h |d|
Tensor table_of(long H, const Distances& all, DType dtype) {
  std::vector<double> values;
  for (double slope : slopes_of(H))
    for (long d = all.first; d <= all.last; d++) values.push_back(-slope * double(std::abs(d)));
  return cast(from_vector(values, {H, all.count()}), dtype);
}

class Alibi : public Bias {
 public:
  void add(SoftmaxInputs& in, const Mask&, Context& ctx) const override {
    const long H = in.q.size(1);
    const DType dtype = in.q.dtype();
    in.by_distance =
        distance_table(ctx, "alibi " + std::to_string(H) + " " + name(dtype), distances_of(in), in.q.value().device(),
                       [&](const Distances& all) { return table_of(H, all, dtype); });
  }
};

const RegisteredBias alibi{{.name = "alibi",
                            .source = "Press et al., 2021",
                            .make = [](const VariantOptions&, const MixerOptions&, const ParameterMaker&) {
                              return std::make_unique<Alibi>();
                            }}};

}  // namespace
}  // namespace heed
