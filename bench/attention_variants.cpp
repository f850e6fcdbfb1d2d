// `build/bench variants`: every registered attention variant with its defaults, as the mixer of a small model (C 256, 4
// heads, B 1): what time and memory do when the text gets longer. Causal where a variant can be.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>

#include "attention/registry.h"
#include "bench/run.h"
#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tensor/random.h"
#include "tensor/text.h"

namespace heed::bench {
namespace {

constexpr long kLengths[] = {1024, 2048, 4096};
constexpr long kChannels = 256, kHeads = 4;
constexpr double kLongest = 20;  // seconds: work that would take more is not begun

MixerSizes sizes() { return {.C = kChannels, .heads = kHeads, .max_length = kLengths[std::size(kLengths) - 1]}; }

struct Work {
  std::shared_ptr<Mixer> mixer;
  Tensor x, dy;  // (1, n, C)
  bool causal;

  Work(const std::string& spec, long n)
      : mixer(make_mixer(spec, sizes())),
        x(randn({1, n, kChannels}, 1)),
        dy(randn({1, n, kChannels}, 2)),
        causal(mixer->can().causal) {}

  Variable run(const Variable& tokens, Context& ctx) const {
    return mixer->narrow(mixer->forward(mixer->widen(tokens), {.mask = {.causal = causal}}, ctx));
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
  }
};

// What one variant takes at one length; nothing: it was not begun, because it would take too long.
struct Cell {
  double forward = 0, both = 0;  // seconds
  double peak = 0;               // bytes alive at most in forward and backward, beyond parameters, x and dy
};

struct Row {
  std::string spec, problem = {};
  bool causal = false;
  long parameters = 0;
  std::vector<std::optional<Cell>> cells = {};
};

double median_time(const std::function<void()>& action, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  std::vector<double> times;
  do {
    const auto begin = Clock::now();
    action();
    times.push_back(since(begin));
  } while (since(start) < seconds);
  if (times.size() > 1) times.erase(times.begin());  // it made the memory
  return quartiles(times).middle;
}

Cell measure(const Work& work, double seconds) {
  Cell cell;
  cell.forward = median_time([&] { work.forward(); }, seconds / 2);
  cell.both = median_time([&] { work.both(); }, seconds / 2);
  work.mixer->zero_grad();
  const size_t before = memory_stats().live;
  reset_peak();
  work.both();
  cell.peak = double(memory_stats().peak - before);
  return cell;
}

// Twice the length takes four times the time, unless the two before tell that it grows faster still.
double predicted(const std::vector<std::optional<Cell>>& cells) {
  if (cells.empty()) return 0;
  if (!cells.back()) return HUGE_VAL;
  const double last = cells.back()->both;
  return last * (cells.size() > 1 ? std::max(2.0, last / cells[cells.size() - 2]->both) : 4.0);
}

Row measure_row(const std::string& spec, double seconds) {
  const Transient line("measuring " + spec + " ...");
  Row row{.spec = spec};
  try {
    for (const long n : kLengths) {
      if (predicted(row.cells) > kLongest) {
        row.cells.emplace_back();
        continue;
      }
      const Work work(spec, n);
      row.causal = work.causal;
      row.parameters = work.mixer->parameter_count();
      row.cells.emplace_back(measure(work, seconds));
    }
  } catch (const Error& error) {  // one that cannot: the others can
    row.problem = error.what();
  }
  return row;
}

// ---- what came out

std::string megabytes(double bytes) { return three_digits(bytes / 1e6) + " MB"; }

// Forward at each length, forward and backward at each, peak bytes at each.
std::vector<std::string> figures(const Row& row) {
  std::vector<std::string> texts;
  const auto add = [&](const std::function<std::string(const Cell&)>& text) {
    for (size_t i = 0; i < std::size(kLengths); i++)
      texts.push_back(i >= row.cells.size() ? "" : row.cells[i] ? text(*row.cells[i]) : "stopped");
  };
  add([](const Cell& c) { return time_text(c.forward); });
  add([](const Cell& c) { return time_text(c.both); });
  add([](const Cell& c) { return megabytes(c.peak); });
  return texts;
}

std::vector<std::string> heads() {
  std::vector<std::string> texts;
  for (const char* what : {"fwd ", "f+b ", "mem "})
    for (const long n : kLengths) texts.push_back(what + std::to_string(n / 1024) + "K");
  return texts;
}

void print_line(const std::string& name, const std::string& causal, const std::string& parameters,
                const std::vector<std::string>& texts) {
  std::printf("%-22s %-6s %10s", name.c_str(), causal.c_str(), parameters.c_str());
  for (size_t i = 0; i < texts.size(); i++)
    std::printf("%s%8s", i % std::size(kLengths) ? " " : "   ", texts[i].c_str());
  std::printf("\n");
  std::fflush(stdout);
}

void print(const Row& row) {
  print_line(row.spec, row.causal ? "yes" : "no", std::to_string(row.parameters), figures(row));
  if (!row.problem.empty()) std::printf("    %s\n", row.problem.c_str());
}

std::string markdown(const Report& report, const std::vector<Row>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine + ".\n\n| variant | causal | parameters |";
  std::string rule = "\n|---|---|--:|";
  for (const std::string& head : heads()) out += " " + head + " |", rule += "--:|";
  out += rule + "\n";
  for (const Row& row : rows) {
    out += "| " + row.spec + " | " + (row.causal ? "yes" : "no") + " | " + std::to_string(row.parameters) + " |";
    for (const std::string& text : figures(row)) out += " " + text + " |";
    out += "\n";
  }
  return out;
}

std::string json(const Report& report, const std::vector<Row>& rows) {
  std::string out = "{\n  \"benchmark\": \"variants\",\n  \"command\": " + json_text(report.command) +
                    ",\n  \"machine\": " + json_text(report.machine) + ",\n  \"results\": [";
  const char* before = "\n";
  for (const Row& row : rows)
    for (size_t i = 0; i < row.cells.size(); i++) {
      const Cell c = row.cells[i].value_or(Cell{});
      const std::string text = format(
          "\"n\": %ld, \"causal\": %s, \"parameters\": %ld, \"stopped\": %s, \"forward_seconds\": %.6g, "
          "\"both_seconds\": %.6g, \"peak_bytes\": %.0f}",
          kLengths[i], row.causal ? "true" : "false", row.parameters, row.cells[i] ? "false" : "true", c.forward,
          c.both, c.peak);
      out += before + std::string("    {\"variant\": ") + json_text(row.spec) + ", " + text;
      before = ",\n";
    }
  return out + "\n  ]\n}\n";
}

// ---- the benchmark: a case is a variant

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Variant* variant : variants())
    list.push_back(
        {.group = "variants",
         .name = variant->name,
         .amount = double(kLengths[0]),  // tokens: how much work they are is what differs
         .make = [spec = variant->name]() -> Action { return [work = Work(spec, kLengths[0])] { work.both(); }; }});
  return list;
}

int run_variants(const Benchmark& benchmark, const Settings& settings) {
  const Report report = start_report(settings, "");
  std::printf(
      "%s\nB 1, C %ld, %ld heads; f+b: forward and backward; mem: bytes alive at most, beyond parameters and x\n\n",
      report.machine.c_str(), kChannels, kHeads);
  print_line("variant", "causal", "parameters", heads());
  std::vector<Row> rows;
  for (const Case& work : chosen_cases(benchmark, settings)) {
    rows.push_back(measure_row(work.name, settings.seconds));
    print(rows.back());
  }
  write_report(settings.json, json(report, rows));
  write_markdown(settings, markdown(report, rows));
  return 0;
}

const Benchmark bench_variants{"variants", "Every attention variant: time and memory against the length of the text.",
                               cases, run_variants};

}  // namespace
}  // namespace heed::bench
