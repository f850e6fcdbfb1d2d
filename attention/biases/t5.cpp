// T5's bias: a learned number for every head and bucket of distances. Near distances have a bucket each, farther ones
// share wider and wider buckets, and everything from 128 on is in the last.
//
//   bias_ij = b[bucket(p_i - p_j), h]          b (32, H)
//
// Under a causal mask all 32 buckets are for the past; otherwise half of them are for keys after the query. In each
// half the first half are exact distances, the rest grow by the logarithm. Cost: 32 H parameters, T + S - 1 lookups per
// head. (Exploring the Limits of Transfer Learning: Raffel et al., 2019.)
//
// It pays off as the cheapest learned position there is, and longer texts than in training find a bucket too. It loses
// where it matters how far away something beyond 128 tokens is, or what it is: the number knows the distance only.
#include <algorithm>
#include <cmath>

#include "attention/biases/bias.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

constexpr long kBuckets = 32, kFurthest = 128;  // the last bucket begins at kFurthest

long bucket_of(long d, bool causal) {
  const long half = causal ? kBuckets : kBuckets / 2, first = !causal && d < 0 ? half : 0, exact = half / 2;
  const long away = causal ? std::max(0L, d) : std::abs(d);
  if (away < exact) return first + away;
  const double steps = std::log(double(away) / double(exact)) / std::log(double(kFurthest) / double(exact));
  return first + std::min(half - 1, exact + long(steps * double(half - exact)));
}

Tensor buckets_of(const Distances& all, bool causal) {
  std::vector<int64_t> buckets;
  for (long d = all.first; d <= all.last; d++) buckets.push_back(bucket_of(d, causal));
  return from_vector(buckets, {all.count()});
}

class T5 : public Bias {
 public:
  T5(long heads, const ParameterMaker& parameter) : table_(parameter("bias", {kBuckets, heads}, init::normal(0.02))) {}

  void add(SoftmaxInputs& in, const Mask& mask, Context& ctx) const override {
    const Device device = in.q.value().device();
    const Tensor buckets = distance_table(
        ctx, mask.causal ? "t5 causal" : "t5", distances_of(in), device,
        [&](const Distances& all) { return checked_indices("t5", buckets_of(all, mask.causal), kBuckets, device); });
    in.by_distance = transpose(embedding(table_, buckets));  // (H, distances)
  }

 private:
  Variable& table_;
};

const RegisteredBias t5{{.name = "t5",
                         .source = "Raffel et al., 2019",
                         .make = [](const VariantOptions&, const MixerOptions& mixer, const ParameterMaker& parameter) {
                           return std::make_unique<T5>(mixer.heads, parameter);
                         }}};

}  // namespace
}  // namespace heed
