#include "bench/variant_work.h"

#include <memory>

#include "attention/multi_head.h"
#include "attention/seeing/pair_count.h"
#include "autograd/ops/views.h"
#include "bench/layer.h"
#include "nn/mixing/registry.h"
#include "tensor/allocator.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

constexpr long kChannels = kVariantHeads * kVariantWidth, kColumns = 64;

// Variants of images get rows of 64 tokens, unless the spec has a grid of its own.
std::shared_ptr<Mixer> mixer_of(const std::string& spec, long n) {
  const bool fits = n % kColumns == 0 && spec.find("grid=") == std::string::npos;
  const Grid grid = fits ? Grid{n / kColumns, kColumns} : Grid();
  return make_mixer(spec, {.C = kChannels, .heads = kVariantHeads, .max_length = n, .grid = grid});
}

// What a core is given, (B, n, H, D) in memory and seen as (B, H, n, D), as a projection leaves it; and x, for those
// that ask for it.
class GivenHeads {
 public:
  GivenHeads(const std::shared_ptr<Mixer>& mixer, long n, bool causal)
      : mixer_(mixer), core_(dynamic_cast<MultiHead&>(*mixer).core()), mask_{.causal = causal} {
    const Shape heads{1, n, kVariantHeads, kVariantWidth};
    for (uint32_t seed = 1; seed <= 3; seed++) given_.push_back(randn(heads, seed));
    given_.push_back(randn({1, n, kChannels}, 4));
    dy_ = randn(heads, 5);
  }

  void forward() {
    const NoGrad no_grad;
    run({given_[0], given_[1], given_[2], given_[3]});
  }
  void both() {
    std::vector<Variable> leaves;
    for (const Tensor& x : given_) leaves.push_back(Variable::leaf(x));
    core_.zero_grad();
    run(leaves).backward(dy_);
    core_.zero_grad();
  }

 private:
  Variable run(const std::vector<Variable>& x) {
    const Projections wants = core_.projections();
    const Variable q = wants.queries ? transpose(x[0], 1, 2) : Variable();
    const Variable k = wants.queries && wants.keys ? transpose(x[1], 1, 2) : q, v = transpose(x[2], 1, 2);
    Heads heads{q, k, v};
    heads.x = &x[3];
    return transpose(core_.attend(heads, mask_, ctx_), 1, 2);
  }

  std::shared_ptr<Mixer> mixer_;
  Core& core_;
  Mask mask_;
  std::vector<Tensor> given_;  // q, k, v, x
  Tensor dy_;
  Context ctx_;  // keeps what depends on sizes only, as a model's does
};

}  // namespace

VariantForm form_of(const std::string& spec) {
  const std::shared_ptr<Mixer> mixer = mixer_of(spec, kColumns * kColumns);
  return {mixer->can().causal, dynamic_cast<MultiHead*>(mixer.get()) == nullptr};
}

VariantWork variant_work(const std::string& spec, long n, const VariantForm& form) {
  const std::shared_ptr<Mixer> mixer = mixer_of(spec, n);
  VariantWork work;
  if (form.projections) {
    const LayerWork layer = layer_work(mixer, randn({1, n, kChannels}, 1), form.causal);
    work.forward = layer.forward, work.both = layer.both;
  } else {
    const auto given = std::make_shared<GivenHeads>(mixer, n, form.causal);
    work.forward = [=] { given->forward(); }, work.both = [=] { given->both(); };
  }
  const PairCounter counter;
  work.forward();
  work.pairs = counter.pairs();
  return work;
}

double peak_bytes(const Action& action) {
  const size_t before = memory_stats().live;
  reset_peak();
  action();
  return double(memory_stats().peak - before);
}

double least_bytes(long n) { return 8.0 * 4.0 * double(n * kChannels); }

}  // namespace heed::bench
