// `build/bench packages`: whole self-attention layers of public PyTorch packages, projections included, beside ours of
// the same width and heads. The layers are made in bench/peer_packages.py; package_versions.h tells how packages get
// there. Nothing is counted but time: where formulas differ, so do the operations they need.
#include "bench/packages.h"

#include <algorithm>

#include "bench/kernels.h"
#include "bench/layer.h"
#include "bench/package_versions.h"
#include "nn/mixing/registry.h"
#include "system/error.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

constexpr long kBatch = 1, kLength = 4096, kChannels = 512, kHeads = 8;

std::function<Action()> work_of(const PackageRow& row, bool backward) {
  return [=]() -> Action {
    const std::shared_ptr<Mixer> mixer =
        make_mixer(row.spec, {.C = kChannels, .heads = kHeads, .max_length = kLength, .bias = row.bias});
    const LayerWork work = layer_work(mixer, randn({kBatch, kLength, kChannels}, 1), row.causal);
    return backward ? work.both : work.forward;
  };
}

std::string name_of(const PackageRow& row, bool backward) { return row.title + (backward ? ", f+b" : ", fwd"); }

Case case_of(const PackageRow& row, bool backward) {
  const std::string who = row.package.empty() ? "PyTorch" : row.package;
  return {
      .group = who + ": " + row.about + (row.causal ? ", causal" : "") + "; ours: " + row.spec +
               (row.note.empty() ? "" : " (" + row.note + ")"),
      .name = name_of(row, backward),
      .request = request(("package " + row.layer).c_str(), {kBatch, kLength, kChannels, kHeads, row.causal, backward}),
      .bar = {.ratio = backward ? row.bar : 0},
      .make = work_of(row, backward)};
}

std::vector<Case> cases() { return package_cases(package_rows()); }

int run_packages(const Benchmark& benchmark, const Settings& settings) {
  const std::vector<PackageRow> rows = package_rows();
  std::vector<Case> chosen = chosen_cases(benchmark, settings);
  std::vector<std::string> packages;
  for (const Case& work : chosen) packages.push_back(row_of(work, rows).package);
  const Installed installed = install_packages(settings, packages);
  leave_out(chosen, rows, installed.problems);
  return run_cases(chosen, settings, installed.text());
}

const RegisteredBenchmark packages{
    {"packages", "Whole self-attention layers of PyTorch packages from PyPI, beside ours.", cases, run_packages}};

}  // namespace

std::vector<Case> package_cases(const std::vector<PackageRow>& rows) {
  std::vector<Case> all;
  for (const PackageRow& row : rows)
    for (const bool backward : {false, true}) all.push_back(case_of(row, backward));
  return all;
}

const PackageRow& row_of(const Case& work, const std::vector<PackageRow>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const PackageRow& row) {
    return work.name == name_of(row, true) || work.name == name_of(row, false);
  });
  HEED_CHECK(found != rows.end(), "packages", "no row has the case \"", work.name, "\"");
  return *found;
}

void leave_out(std::vector<Case>& cases, const std::vector<PackageRow>& rows,
               const std::map<std::string, std::string>& problems) {
  for (Case& work : cases) {
    const auto problem = problems.find(row_of(work, rows).package);
    if (problem == problems.end()) continue;
    work.request = "";
    work.remark = [reason = problem->second] { return reason; };
  }
}

}  // namespace heed::bench
