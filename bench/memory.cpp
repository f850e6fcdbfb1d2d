// `build/bench memory`: the most memory that one training step (bench/gpt.h) takes above the level of parameters,
// gradients and what the optimiser remembers; and what less-memory models save. Lower is better: the bars say at most.
//
// Ours: the most bytes of tensors alive in the step less those alive before it, by the allocator's count
// (memory_stats). PyTorch's: the most pages its process had in the step (VmHWM, which /proc/self/clear_refs puts back)
// less those before it (VmRSS); steps before have loaded the code. glibc is told to give every tensor pages of its own
// and to take them back at once (MALLOC_MMAP_THRESHOLD_), so these pages are its tensors: torch.profiler's count of
// bytes agrees to 1%. Its gradients of the step before are part of the level, although it frees them when a step
// begins: to its advantage.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "bench/gpt.h"
#include "bench/kernels.h"
#include "bench/run.h"
#include "system/progress.h"
#include "system/text.h"
#include "tensor/allocator.h"

namespace heed::bench {
namespace {

struct Model {
  GptSizes sizes;
  std::string against;  // the name of one of ours, or empty: PyTorch's plain step
  double most;          // the bar; 0: none
};

std::vector<Model> models() {
  const auto sizes = [](const std::string& kind, long layers) {
    return GptSizes{.name = kind + ", " + std::to_string(layers) + " layers",
                    .layers = layers,
                    .recompute_blocks = kind == "recomputed",
                    .reversible = kind == "reversible"};
  };
  std::vector<Model> all;
  all.push_back({sizes("plain", 12), "", 0.7});
  all.push_back({sizes("recomputed", 12), "", 0.35});
  all.push_back({sizes("reversible", 6), "", 0});
  all.push_back({sizes("reversible", 24), all.back().sizes.name, 1.1});
  return all;
}

struct Row {
  Model model;
  double bytes = 0, other = 0;  // ours, and of what it is held against; 0: not measured
  double ratio() const { return other > 0 ? bytes / other : 0; }
};

double step_bytes(const GptSizes& sizes) {
  const Action step = training_step(sizes);
  step();
  const double before = double(memory_stats().live);
  reset_peak();
  step();
  return double(memory_stats().peak) - before;
}

// Of PyTorch's plain step; 0 if there is no peer, or it cannot tell.
double peer_bytes(Worker* peer, const GptSizes& s) try {
  if (!peer) return 0;
  const std::string problem = peer->prepare(request("training_step", {s.layers, s.width, s.heads, s.T, s.B, false}));
  if (problem.empty()) return std::stod(peer->ask("memory"));
  std::cerr << problem << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "; going on without the peer\n";
  return 0;
}

// ---- what came out

std::string bar_text(const Row& row) {
  if (row.model.most == 0) return "";
  const std::string most = "at most " + ratio_text(row.model.most);
  return most + (row.other == 0 ? " ?" : row.ratio() <= row.model.most ? " met" : " SHORT");
}

// name, ours, what it is held against, ratio, bar
std::vector<std::string> texts(const Row& row) {
  const bool known = row.other > 0;
  const std::string against = row.model.against.empty() ? "PyTorch, plain" : row.model.against;
  return {row.model.sizes.name, megabytes(row.bytes), known ? megabytes(row.other) + " " + against : "",
          known ? ratio_text(row.ratio()) : "", bar_text(row)};
}

void print_row(const std::vector<std::string>& t) {
  print_line(format("%-24s %9s   %-34s %6s  ", t[0].c_str(), t[1].c_str(), t[2].c_str(), t[3].c_str()) + t[4]);
}

std::string markdown(const Report& report, const std::vector<Row>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine;
  out += (report.peer.empty() ? "" : "; peer: " + report.peer) +
         ".\n\n| model | ours | held against | ratio | bar |\n|---|--:|--:|--:|---|\n";
  for (const Row& row : rows) {
    for (const std::string& text : texts(row)) out += "| " + text + " ";
    out += "|\n";
  }
  return out;
}

Json::Array json_of(const std::vector<Row>& rows) {
  Json::Array list;
  for (const Row& row : rows)
    list.push_back(Json::Object{
        {"model", row.model.sizes.name}, {"bytes", row.bytes}, {"other_bytes", row.other}, {"bar", row.model.most}});
  return list;
}

// ---- the benchmark

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Model& model : models())
    all.push_back({.group = "B 8, T 512, width 256, 4 heads",
                   .name = model.sizes.name,
                   .amount = double(model.sizes.B * model.sizes.T),  // tokens: nothing is timed
                   .make = [s = model.sizes] { return training_step(s); }});
  return all;
}

int run_memory(const Benchmark&, const Settings& settings) {
  setenv("MALLOC_MMAP_THRESHOLD_", "65536", 1);  // of the peer: see above
  const std::unique_ptr<Worker> peer = open_peer(settings);
  const Report report = start_report(settings, peer ? peer->ask("probe") : "");
  std::cout << report.machine << "\none training step above parameters, gradients and optimiser; " << cases()[0].group
            << "\n\n";
  print_row({"model", "ours", "held against", "ratio", "bar"});
  const double torch = peer_bytes(peer.get(), models()[0].sizes);
  std::vector<Row> rows;
  std::map<std::string, double> ours;
  for (const Model& model : models()) {
    const double bytes = ours[model.sizes.name] = step_bytes(model.sizes);
    rows.push_back({model, bytes, model.against.empty() ? torch : ours[model.against]});
    print_row(texts(rows.back()));
  }
  write_report(settings.json, json(report, json_of(rows)));
  write_markdown(settings, markdown(report, rows));
  return 0;
}

const RegisteredBenchmark memory{
    {"memory", "The most memory that a training step takes, against PyTorch and ourselves.", cases, run_memory}};

}  // namespace
}  // namespace heed::bench
