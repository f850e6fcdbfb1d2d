// `build/bench classifier`: a classifier of bytes, Long Range Arena's text model (4 layers, width 256, 4 heads, 1024
// hidden channels, B 1), with every registered attention variant: what a whole model takes when the text gets longer.
// It looks both ways. With a peer: a training step at the longest text beside the same model in PyTorch, eager, with an
// explicit n x n softmax (bench/peer_classifier.py). Memory is compared as in bench/memory.cpp.
#include <cstdlib>
#include <memory>

#include "autograd/ops/cross_entropy.h"
#include "bench/kernels.h"
#include "bench/lengths.h"
#include "models/classifier.h"
#include "nn/arena.h"
#include "nn/mixing/registry.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "train/adamw.h"

namespace heed::bench {
namespace {

constexpr long kBytes = 256, kLayers = 4, kWidth = 256, kHeads = 4, kHidden = 1024;

// How many times as fast a step must be at n 4096. A variant that does not exist is left out.
const std::vector<MeasuredVariant> kBars = {
    {"local:block=256", 4}, {"longformer:window=256", 4}, {"longformer:window=512", 3.5}, {"bigbird:block=64", 3}};

ClassifierOptions options_of(const std::string& spec) {
  return {.V = kBytes,
          .stack = {.C = kWidth,
                    .heads = kHeads,
                    .ordering = repeated("sf", kLayers),
                    .attention = spec,
                    .hidden = kHidden,
                    .max_length = kLongestLength}};
}

struct Work {
  Classifier model;
  ParameterArena arena;
  AdamW optimiser;
  Tensor ids, label;  // (1, n), (1,)

  Work(const std::string& spec, long n)
      : model(options_of(spec)),
        arena(model),
        optimiser(arena, {.clip = 1}),
        ids(reshape(random_ids(n, kBytes), {1, n})),
        label(zeros({1}, i64)) {}

  void forward() {
    const NoGrad no_grad;
    Context ctx;
    model.forward(ids, {}, ctx);
  }
  void both() {
    Context ctx;
    ctx.train = true;
    arena.zero_gradients();
    cross_entropy(model.forward(ids, {}, ctx), label).backward();
  }
  void step() {
    both();
    optimiser.step(1e-3);
  }
};

LengthWork work_of(const std::string& spec, long n) {
  const auto work = std::make_shared<Work>(spec, n);
  return {.parameters = work->model.parameter_count(),
          .forward = [=] { work->forward(); },
          .both = [=] { work->both(); },
          .step = [=] { work->step(); }};
}

std::vector<Case> cases() {
  return variant_cases("a classifier with attention", kBars,
                       [](const std::string& spec) { return work_of(spec, kLengths[0]).step; });
}

int run_classifier(const Benchmark& benchmark, const Settings& settings) {
  setenv("MALLOC_MMAP_THRESHOLD_", "65536", 1);  // of the peer: its pages are its tensors
  return run_lengths(
      benchmark, settings,
      {.about = "a classifier of bytes: 4 layers, width 256, 4 heads, hidden 1024, B 1; step: f+b and AdamW",
       .make = work_of,
       .steps = true,
       .request = request("classifier_step", {kLayers, kWidth, kHeads, kHidden, kLongestLength}),
       .bars = kBars});
}

const RegisteredBenchmark classifier{
    {"classifier", "A classifier of bytes with every attention variant, against the length.", cases, run_classifier}};

}  // namespace
}  // namespace heed::bench
