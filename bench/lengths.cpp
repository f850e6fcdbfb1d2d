#include "bench/lengths.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>

#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"

namespace heed::bench {
namespace {

constexpr double kLongest = 20;  // seconds: work that would take more is not begun

// What one row takes at one length; nothing: it was not begun, because it would take too long.
struct Cell {
  double forward = 0, both = 0, step = 0;  // seconds; step 0: there is none
  double peak = 0;                         // bytes alive at most in `both`, beyond those before
  double longest() const { return std::max(both, step); }
};

struct Row {
  std::string name, problem = {};
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

Cell measure(const LengthWork& work, double seconds) {
  Cell cell;
  cell.forward = median_time(work.forward, seconds / 2);
  cell.both = median_time(work.both, seconds / 2);
  if (work.step) cell.step = median_time(work.step, seconds / 2);
  cell.peak = peak_bytes(work.both);
  return cell;
}

// Twice the length takes four times the time, if there is one before; if there are two, it grows as between them,
// and at least twice.
double predicted(const std::vector<std::optional<Cell>>& cells) {
  if (cells.empty()) return 0;
  if (!cells.back()) return HUGE_VAL;
  const double last = cells.back()->longest();
  return last * (cells.size() > 1 ? std::max(2.0, last / cells[cells.size() - 2]->longest()) : 4.0);
}

Row measure_row(const std::string& name, const Lengths& lengths, double seconds) {
  const Transient line("measuring " + name + " ...");
  Row row{.name = name};
  try {
    for (const long n : kLengths) {
      if (predicted(row.cells) > kLongest) {
        row.cells.emplace_back();
        continue;
      }
      const LengthWork work = lengths.make(name, n);
      row.causal = work.causal, row.parameters = work.parameters;
      row.cells.emplace_back(measure(work, seconds));
    }
  } catch (const Error& error) {  // one that cannot: the others can
    row.problem = error.what();
  }
  return row;
}

// Of the rows that came to the longest text, its step again.
std::vector<BesideWork> longest_works(const std::vector<Row>& rows, const Lengths& lengths) {
  std::vector<BesideWork> works;
  for (const Row& row : rows) {
    if (row.cells.size() < std::size(kLengths) || !row.cells.back()) continue;
    const LengthWork work = lengths.make(row.name, kLongestLength);
    const auto bar = std::find_if(lengths.bars.begin(), lengths.bars.end(),
                                  [&](const MeasuredVariant& each) { return each.spec == row.name; });
    work.step();
    works.push_back({row.name, work.step, bar == lengths.bars.end() ? 0 : bar->bar, peak_bytes(work.step)});
  }
  return works;
}

// ---- what came out

// Forward at each length, forward and backward at each, the step at each, peak bytes at each.
std::vector<std::string> figures(const Row& row, bool steps) {
  std::vector<std::string> texts;
  const auto add = [&](const std::function<std::string(const Cell&)>& text) {
    for (size_t i = 0; i < std::size(kLengths); i++)
      texts.push_back(i >= row.cells.size() ? "" : row.cells[i] ? text(*row.cells[i]) : "stopped");
  };
  add([](const Cell& c) { return time_text(c.forward); });
  add([](const Cell& c) { return time_text(c.both); });
  if (steps) add([](const Cell& c) { return time_text(c.step); });
  add([](const Cell& c) { return megabytes(c.peak); });
  return texts;
}

std::vector<std::string> heads(bool steps) {
  std::vector<std::string> texts;
  for (const std::string what : {"fwd ", "f+b ", "step ", "mem "})
    for (const long n : kLengths)
      if (steps || what != "step ") texts.push_back(what + std::to_string(n / 1024) + "K");
  return texts;
}

void print_row(const std::string& name, const std::string& causal, const std::string& parameters,
               const std::vector<std::string>& texts) {
  std::string row = format("%-22s %-6s %10s", name.c_str(), causal.c_str(), parameters.c_str());
  for (size_t i = 0; i < texts.size(); i++)
    row += format("%s%8s", i % std::size(kLengths) ? " " : "   ", texts[i].c_str());
  print_line(row);
}

void print(const Row& row, bool steps) {
  print_row(row.name, row.causal ? "yes" : "no", std::to_string(row.parameters), figures(row, steps));
  if (!row.problem.empty()) std::printf("    %s\n", row.problem.c_str());
}

std::string markdown(const Report& report, const std::vector<Row>& rows, bool steps) {
  std::string out = "Made by `" + report.command + "` on " + report.machine + ".\n\n| variant | causal | parameters |";
  std::string rule = "\n|---|---|--:|";
  for (const std::string& head : heads(steps)) out += " " + head + " |", rule += "--:|";
  out += rule + "\n";
  for (const Row& row : rows) {
    out += "| " + row.name + " | " + (row.causal ? "yes" : "no") + " | " + std::to_string(row.parameters) + " |";
    for (const std::string& text : figures(row, steps)) out += " " + text + " |";
    out += "\n";
  }
  return out;
}

Json::Array json_of(const std::vector<Row>& rows) {
  Json::Array list;
  for (const Row& row : rows)
    for (size_t i = 0; i < row.cells.size(); i++) {
      const Cell c = row.cells[i].value_or(Cell{});
      list.push_back(Json::Object{{"variant", row.name},
                                  {"n", kLengths[i]},
                                  {"causal", row.causal},
                                  {"parameters", row.parameters},
                                  {"stopped", !row.cells[i]},
                                  {"forward_seconds", c.forward},
                                  {"both_seconds", c.both},
                                  {"step_seconds", c.step},
                                  {"peak_bytes", c.peak}});
    }
  return list;
}

}  // namespace

std::vector<Case> variant_cases(const std::string& group, const std::vector<MeasuredVariant>& bars,
                                const std::function<Action(const std::string& name)>& make) {
  std::vector<Case> list;
  for (const MeasuredVariant& each : shown_variants(bars))
    list.push_back({.group = group,
                    .name = each.spec,
                    .amount = double(kLengths[0]),  // tokens: how much work they are is what differs
                    .make = [make, spec = each.spec] { return make(spec); }});
  return list;
}

int run_lengths(const Benchmark& benchmark, const Settings& settings, const Lengths& lengths) {
  const std::unique_ptr<Worker> peer = lengths.request.empty() ? nullptr : open_peer(settings);
  const Report report = start_report(settings, peer ? peer->ask("probe") : "");
  std::printf("%s\n%s; f+b: forward and backward; mem: bytes alive at most in it, beyond those before\n\n",
              report.machine.c_str(), lengths.about.c_str());
  print_row("variant", "causal", "parameters", heads(lengths.steps));
  std::vector<Row> rows;
  for (const Case& work : chosen_cases(benchmark, settings)) {
    rows.push_back(measure_row(work.name, lengths, settings.seconds));
    print(rows.back(), lengths.steps);
  }
  Json::Array results = json_of(rows);
  std::string text = markdown(report, rows, lengths.steps);
  if (peer) {
    const Beside beside = beside_peer(*peer, lengths.request, longest_works(rows, lengths), settings.seconds);
    std::printf("\na step at n %ld beside %s\n\n%s", kLongestLength, report.peer.c_str(), table(beside).c_str());
    for (const Json& row : json_of(beside)) results.push_back(row);
    text += "\nA step at n " + std::to_string(kLongestLength) + " beside " + report.peer + ":\n\n" + markdown(beside);
  }
  write_report(settings.json, json(report, results));
  write_markdown(settings, text);
  return 0;
}

}  // namespace heed::bench
