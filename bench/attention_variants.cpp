// `build/bench variants`: every registered attention variant, in each of the forms that it wants to be shown in: what
// time and memory do when the text gets longer, from which length on it is faster than full attention, and how much of
// the speed that its fewer pairs allow it reaches (share). Causal where a variant can be.
#include <algorithm>
#include <cstdio>

#include "bench/variant_rows.h"

namespace heed::bench {
namespace {

const std::vector<long> kLengthsOfVariants = {512, 1024, 2048, 4096, 8192, 16384};

// What is demanded of `share`. A variant that does not exist is left out.
const std::vector<MeasuredVariant> kBars = {{"window:left=256,right=256", 0.72},
                                            {"image-local:block=256,margin=256", 0.72},
                                            {"image-local:query=8x16,flange=8x16,grid=256x128", 0.45},
                                            {"blockwise:blocks=4", 0.65},
                                            {"bigbird:block=64", 0.65},
                                            {"sparse:kind=fixed,stride=128,c=32", 0.65},
                                            {"sparse:kind=strided,heads=second,stride=128", 0.3},  // 0.4 at 16384
                                            {"axial:axis=rows,grid=64", 0.65, true},
                                            {"axial:axis=columns,grid=64", 0.45, true},
                                            {"longformer:window=256,globals=1", 0.6}};

std::vector<MeasuredVariant> measured_variants() { return shown_variants(kBars); }

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const MeasuredVariant& each : measured_variants())
    list.push_back(
        {.group = "variants",
         .name = each.name(),
         .amount = double(kLengthsOfVariants[0]),  // tokens: how much work they are is what differs
         .make = [spec = each.spec] { return variant_work(spec, kLengthsOfVariants[0], form_of(spec)).both; }});
  return list;
}

int run_variants(const Benchmark& benchmark, const Settings& settings) {
  const Report report = start_report(settings, "");
  std::printf(
      "%s\nB 1, H %ld, D %ld, q, k and v given; fwd: forward; bwd: what backward adds; mem: bytes alive at most, with "
      "q,\n"
      "k and v; share: of the speed that a variant's fewer pairs would allow; all in turns with full attention\n\n",
      report.machine.c_str(), kVariantHeads, kVariantWidth);
  std::vector<MeasuredVariant> chosen = measured_variants();
  const std::vector<Case> wanted = chosen_cases(benchmark, settings);
  std::erase_if(chosen, [&](const MeasuredVariant& each) {
    return std::none_of(wanted.begin(), wanted.end(), [&](const Case& work) { return work.name == each.name(); });
  });
  const std::vector<VariantRow> rows = measure_variants(chosen, kLengthsOfVariants, settings.seconds);
  std::printf("%s", table(rows).c_str());
  write_report(settings.json, json(report, json_of(rows)));
  write_report(settings.svg, svg(report, rows));
  write_markdown(settings, markdown(report, rows));
  return 0;
}

const RegisteredBenchmark bench_variants{
    {"variants", "Every attention variant against full attention: time, memory, crossover and share.", cases,
     run_variants}};

}  // namespace
}  // namespace heed::bench
