// `build/bench training`: one step of training a language model (bench/gpt.h) on a batch that is there already, against
// PyTorch as it is (eager) and compiled (torch.compile). The bar is to be faster than the better of the two.
//
// Amounts: every weight of a product is used three times for each token (forward, and for both gradients), 2 operations
// each time, so 6 weights tokens; attention 4 C operations for each visible pair and layer, three times. A token sees
// itself and those before it: T (T + 1) / 2 pairs. What backward computes again is not counted, nor is anything but
// products. The speed is held against the fastest product of our own, measured in the same run.
#include "bench/gpt.h"
#include "bench/kernels.h"

namespace heed::bench {
namespace {

double operations(const GptSizes& s) {
  const double tokens = double(s.B * s.T), pairs = tokens * double(s.T + 1) / 2;
  return 6 * product_weights(s) * tokens + 12 * double(s.layers * s.width) * pairs;
}

Case step_case(const GptSizes& s, bool compiled) {
  return {.group = "a training step: layers/width/heads, T, B",
          .name = s.name + (compiled ? ", compiled" : ", eager"),
          .request = request("training_step", {s.layers, s.width, s.heads, s.T, s.B, compiled}),
          .amount = operations(s),
          .limit = Limit::product,
          .bar = {.ratio = 1.2, .share = compiled ? 0 : 0.65},
          .make = [=] { return training_step(s); }};
}

std::vector<Case> cases() {
  const GptSizes sizes[] = {{.name = "tiny 2/128/4, 128, 16", .layers = 2, .width = 128, .T = 128, .B = 16},
                            {.name = "small 4/256/4, 512, 8"},
                            {.name = "6/384/6, 256, 16", .layers = 6, .width = 384, .heads = 6, .T = 256, .B = 16}};
  std::vector<Case> all;
  for (const GptSizes& s : sizes)
    for (const bool compiled : {false, true}) all.push_back(step_case(s, compiled));
  return all;
}

const RegisteredBenchmark training{
    {"training", "A training step of a language model, against PyTorch eager and compiled.", cases, run_cases}};

}  // namespace
}  // namespace heed::bench
