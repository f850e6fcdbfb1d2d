// `build/bench variants`: every registered attention variant with its defaults, as the mixer of a small model (C 256, 4
// heads, B 1): what time and memory do when the text gets longer. Causal where a variant can be.
#include <memory>

#include "bench/lengths.h"
#include "nn/mixing/registry.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

constexpr long kChannels = 256, kHeads = 4;

struct Work {
  std::shared_ptr<Mixer> mixer;
  Tensor x, dy;  // (1, n, C)
  bool causal;

  Work(const std::string& spec, long n)
      : mixer(make_mixer(spec, {.C = kChannels, .heads = kHeads, .max_length = n})),
        x(randn({1, n, kChannels}, 1)),
        dy(randn({1, n, kChannels}, 2)),
        causal(mixer->can().causal) {}

  Variable run(const Variable& tokens, Context& ctx) const {
    const MixIn in{.mask = {.causal = causal}};
    return mixer->narrow(mixer->forward(mixer->widen(tokens, in, ctx), in, ctx), tokens.size(1), in, ctx);
  }
  void forward() const {
    const NoGrad no_grad;
    Context ctx;
    run(x, ctx);
  }
  void both() const {
    Context ctx;
    mixer->zero_grad();
    run(Variable::leaf(x), ctx).backward(dy);
    mixer->zero_grad();
  }
};

LengthWork work_of(const std::string& spec, long n) {
  const auto work = std::make_shared<const Work>(spec, n);
  return {.causal = work->causal,
          .parameters = work->mixer->parameter_count(),
          .forward = [=] { work->forward(); },
          .both = [=] { work->both(); }};
}

std::vector<Case> cases() {
  return variant_cases("variants", [](const std::string& spec) { return work_of(spec, kLengths[0]).both; });
}

int run_variants(const Benchmark& benchmark, const Settings& settings) {
  return run_lengths(benchmark, settings, {.about = "a mixer, B 1, C 256, 4 heads", .make = work_of});
}

const RegisteredBenchmark bench_variants{
    {"variants", "Every attention variant: time and memory against the length of the text.", cases, run_variants}};

}  // namespace
}  // namespace heed::bench
