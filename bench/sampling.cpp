// `build/bench sampling`: the small language model (bench/gpt.h) writes bytes, one by one and with a cache, as `charlm
// sample` does (models/sampler.h); against PyTorch with a cache that is made once. Every weight of a product is read
// once for each byte: that is the amount, held against reading as many bytes as fast as this machine can. Rows that are
// sampled together share what is read.
#include "bench/gpt.h"
#include "bench/kernels.h"
#include "models/sampler.h"

namespace heed::bench {
namespace {

Case sampling_case(const std::string& name, long prompt, long length) {
  const GptSizes s;
  return {.group = "sampling, 4 layers of width 256, batch 1, with a cache",
          .name = name,
          .request = request("sampling", {s.layers, s.width, s.heads, s.T, prompt, length}),
          .amount = 4 * product_weights(s) * double(length),
          .limit = Limit::read,
          .bar = {},
          .make = [=]() -> Action {
            const auto model = std::make_shared<Gpt>(options_of(s));
            return [=] { sampled(*model, {Ids(size_t(prompt), 'a')}, {.length = length}); };
          }};
}

Case rows_case(long rows, long length) {
  const GptSizes s;
  return {.group = "sampling, 4 layers of width 256, several rows at once",
          .name = std::to_string(rows) + " rows of " + std::to_string(length) + " bytes",
          .amount = 4 * product_weights(s) * double(length),
          .limit = Limit::read,
          .bar = {},
          .make = [=]() -> Action {
            const auto model = std::make_shared<Gpt>(options_of(s));
            return [=] { sampled(*model, std::vector<Ids>(size_t(rows), Ids{'a'}), {.length = length}); };
          }};
}

std::vector<Case> cases() {
  Case many = sampling_case("256 bytes", 1, 256);
  many.bar = {.ratio = 1.7, .share = 0.6};
  return {many, sampling_case("the first byte behind 256 bytes", 256, 1), rows_case(8, 256), rows_case(32, 256)};
}

const RegisteredBenchmark sampling{
    {"sampling", "A language model writes bytes, against PyTorch with a cache.", cases, run_cases}};

}  // namespace
}  // namespace heed::bench
