// `build/bench zoo --data FILE --seconds 180`: a small language model (charlm's preset `small`) with every attention
// that can write, each trained for the same time; bits per byte of the next 5% of the text.
#include "bench/zoo.h"
#include "system/error.h"
#include "tasks/language/language_task.h"

namespace heed::bench {
namespace {

constexpr long kValidBytes = 1 << 18;

LmSettings settings_for(const std::string& spec) {
  LmSettings s = preset("small");
  s.attention = spec, s.valid_bytes = kValidBytes;
  s.positions = usual_positions(s);
  return s;
}

std::vector<Case> cases() { return zoo_cases("bits per byte after the same time, preset small", writing_specs()); }

int run_zoo_of_texts(const Benchmark& benchmark, const Settings& settings) {
  HEED_CHECK(!settings.data.empty(), "bench", "there is no text to learn from. Give one: --data FILE");
  const ByteData data = ByteData::open(settings.data);
  Zoo zoo{.unit = "bits per byte", .about = "preset small on " + data.summary(), .usual = "full"};
  for (const std::string& spec : writing_specs())
    zoo.animals.push_back({spec, [&data, spec] {
                             auto task = std::make_unique<LanguageTask>(settings_for(spec), data);
                             return std::make_unique<TaskLearner>(std::move(task), 1);
                           }});
  return run_zoo(benchmark, settings, zoo);
}

const RegisteredBenchmark zoo{{"zoo",
                               "Bits per byte after the same time of training, with every attention that can write.",
                               cases, run_zoo_of_texts}};

}  // namespace
}  // namespace heed::bench
