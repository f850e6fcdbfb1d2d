// `build/bench learning --data FILE`: how well the small language model (bench/gpt.h) knows a text after the same time
// of training, ours and PyTorch's: `--seconds` each, with three seeds (bench/learning.h), in bits per byte. Weights are
// drawn as GPT-2's.
#include <cstdlib>

#include "bench/gpt.h"
#include "bench/kernels.h"
#include "bench/learning.h"
#include "system/error.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/language_task.h"

namespace heed::bench {
namespace {

constexpr double kRate = 2e-3;     // the peak, as in the preset `small`
constexpr long kGlance = 1 << 16;  // bytes

class Reader : public Learner {
 public:
  Reader(const GptSizes& s, long seed, const ByteData& data)
      : sizes_(s),
        train_(data.train),
        valid_(data.valid),
        model_(options_of(s)),
        objective_(model_),
        learner_(objective_, seed, kRate, [this, seed](uint32_t step) {
          return batch_of(train_.batch(uint32_t(seed), step, 0, sizes_.B, sizes_.T));
        }) {}
  void train(double until, double budget) override { learner_.train(until, budget); }
  Standing validate(long bytes) override {
    return {bits_per_byte(model_, valid_.first(bytes), {.batch = sizes_.B, .context = sizes_.T}).bpc, learner_.steps()};
  }

 private:
  GptSizes sizes_;
  TokenSplit train_;
  ByteSplit valid_;
  Gpt model_;
  NextToken objective_;
  OwnTraining learner_;
};

std::vector<Case> cases() { return learning_cases("bits per byte after the same time, 4/256/4, T 512, B 8"); }

int run_learning(const Benchmark& benchmark, const Settings& settings) {
  HEED_CHECK(!settings.data.empty(), "bench", "there is no text to learn from. Give one: --data FILE");
  const ByteData data = ByteData::open(settings.data);
  HEED_CHECK(data.all.documents().size() == 1, "bench", settings.data, " has ", data.all.documents().size(),
             " documents; the peer reads one file. Join them");
  const GptSizes s;
  data.check_context(s.T);
  setenv("HEED_BENCH_DATA", settings.data.c_str(), 1);  // for the peer
  return run_lesson(benchmark, settings,
                    {.name = s.name,
                     .unit = "bits per byte",
                     .about = settings.data + ": " + data.summary(),
                     .glance = kGlance,
                     .ours = [&](long seed) { return std::make_unique<Reader>(s, seed, data); },
                     .request =
                         [&](long seed) {
                           return request("learning", {s.layers, s.width, s.heads, s.T, s.B, seed, data.train.size(),
                                                       data.valid.size()});
                         }});
}

const RegisteredBenchmark learning{
    {"learning", "Bits per byte after the same time of training, against PyTorch.", cases, run_learning}};

}  // namespace
}  // namespace heed::bench
