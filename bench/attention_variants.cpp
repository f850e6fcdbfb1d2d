// `build/bench variants`: every registered attention variant with its defaults, as the mixer of a small model (C 256, 4
// heads, B 1): what time and memory do when the text gets longer. Causal where a variant can be.
#include <memory>

#include "bench/layer.h"
#include "bench/lengths.h"
#include "nn/mixing/registry.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

constexpr long kChannels = 256, kHeads = 4;

LengthWork work_of(const std::string& spec, long n) {
  const std::shared_ptr<Mixer> mixer = make_mixer(spec, {.C = kChannels, .heads = kHeads, .max_length = n});
  const bool causal = mixer->can().causal;
  const LayerWork work = layer_work(mixer, randn({1, n, kChannels}, 1), causal);
  return {.causal = causal, .parameters = mixer->parameter_count(), .forward = work.forward, .both = work.both};
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
