#include "bench/zoo.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "bench/run.h"
#include "nn/mixing/registry.h"
#include "show/letters_chart.h"
#include "system/error.h"
#include "system/file_bytes.h"
#include "system/progress.h"
#include "system/quantities.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/allocator.h"

namespace heed::bench {
namespace {

constexpr double kTurn = 2;  // seconds between two lines of progress

struct Row {
  std::string name, problem = {};  // problem: why it could not be trained
  double score = 0, step_seconds = 0, bytes = 0;
  long steps = 0, parameters = 0;
};

Json json_of(const Row& row) {
  Json out = Json::Object{{"name", row.name}};
  if (!row.problem.empty()) return out["problem"] = row.problem, out;
  out["score"] = row.score, out["steps"] = row.steps, out["step_seconds"] = row.step_seconds;
  out["peak_bytes"] = row.bytes, out["parameters"] = row.parameters;
  return out;
}

Row row_from(const Json& json) {
  Row row{.name = json.at("name").text()};
  if (const Json* problem = json.find("problem")) return row.problem = problem->text(), row;
  row.score = json.at("score").number(), row.steps = json.at("steps").integer();
  row.step_seconds = json.at("step_seconds").number(), row.bytes = json.at("peak_bytes").number();
  row.parameters = json.at("parameters").integer();
  return row;
}

std::vector<std::string> heads(const Zoo& zoo) {
  return {"attention", zoo.unit, "steps", "a step", "memory", "parameters"};
}

std::vector<std::string> texts(const Row& row) {
  if (!row.problem.empty()) return {row.name, "-", "", "", "", ""};
  return {row.name,
          format("%.4f", row.score),
          with_commas(row.steps),
          time_text(row.step_seconds),
          megabytes(row.bytes),
          with_commas(row.parameters)};
}

void print_row(const std::vector<std::string>& t) {
  print_line(format("%-44s %16s %8s %10s %10s %12s", t[0].c_str(), t[1].c_str(), t[2].c_str(), t[3].c_str(),
                    t[4].c_str(), t[5].c_str()));
}

void train(TaskLearner& learner, const std::string& name, double budget) {
  for (double at = 0; at < budget;) {
    at = std::min(budget, at + kTurn);
    const Transient line(format("%s: %.0f of %.0f seconds", name.c_str(), at, budget));
    learner.train(at, budget);
  }
}

Row trained(const Animal& animal, double seconds) try {
  const size_t before = memory_stats().live;
  reset_peak();
  const std::unique_ptr<TaskLearner> learner = animal.make();
  train(*learner, animal.name, seconds);
  const double bytes = double(memory_stats().peak - before);
  const Standing standing = learner->validate(0);
  const OwnTraining& training = learner->training();
  return {.name = animal.name,
          .score = standing.score,
          .step_seconds = training.seconds() / double(standing.steps),
          .bytes = bytes,
          .steps = standing.steps,
          .parameters = training.parameters()};
} catch (const Error& error) {
  return {.name = animal.name, .problem = error.what()};
}

// The rows of a zoo in its file.
class Ledger {
 public:
  Ledger(const std::string& path, const Report& report, const std::string& what)
      : path_(path), report_(report), what_(what) {
    if (!std::filesystem::exists(path)) return;
    const Json file = Json::parse(FileBytes("bench", path).bytes(), path);
    const Json* before = file.find("zoo");
    HEED_CHECK(before && before->is_text() && before->text() == what, "bench", path, " has rows of ",
               before && before->is_text() ? "'" + before->text() + "'" : "something else", ", and these would be of '",
               what, "'; remove it, or name another file with --json");
    for (const Json& row : file.at("results").items()) rows_.push_back(row_from(row));
  }

  const Row* find(const std::string& name) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.name == name; });
    return found == rows_.end() ? nullptr : &*found;
  }
  void add(const Row& row) {
    rows_.push_back(row);
    Json::Array list;
    for (const Row& each : rows_) list.push_back(json_of(each));
    Json file = Json::parse(json(report_, list), path_);
    file["zoo"] = what_;
    write_file(path_, file.dump(1) + "\n");
  }
  // The best first; those that could not be trained last.
  std::vector<Row> sorted() const {
    std::vector<Row> rows = rows_;
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::pair(!a.problem.empty(), a.score) < std::pair(!b.problem.empty(), b.score);
    });
    return rows;
  }

 private:
  std::string path_;
  const Report& report_;
  std::string what_;
  std::vector<Row> rows_;
};

std::string markdown(const Report& report, const Zoo& zoo, const std::vector<Row>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine + ".\n\n| " + joined(heads(zoo), " | ") +
                    " |\n|---|--:|--:|--:|--:|--:|\n";
  for (const Row& row : rows) {
    std::vector<std::string> cells = texts(row);
    cells[0] = "`" + cells[0] + "`";
    if (!row.problem.empty()) cells[1] = row.problem;
    out += "| " + joined(cells, " | ") + " |\n";
  }
  return out;
}

std::string picture(const Report& report, const Zoo& zoo, const std::vector<Row>& rows, double seconds) {
  LettersChart chart{.title = "The same time for every attention: " + duration_text(seconds),
                     .subtitle = report.machine,
                     .x_label = zoo.unit};
  for (const Row& row : rows) {
    if (!row.problem.empty()) continue;
    if (row.name == zoo.usual) chart.usual = row.score, chart.usual_name = zoo.usual;
    chart.rows.push_back({.name = row.name,
                          .values = {row.score},
                          .notes = {format("%.3f", row.score), time_text(row.step_seconds)},
                          .strong = row.name == zoo.usual});
  }
  return letters_chart_svg(chart);
}

const Animal& animal_named(const Zoo& zoo, const std::string& name) {
  return *std::find_if(zoo.animals.begin(), zoo.animals.end(), [&](const Animal& each) { return each.name == name; });
}

}  // namespace

bool can_write(const std::string& spec, const Grid& grid) try {
  const Capabilities can = make_mixer(spec, {.C = 64, .heads = 4, .grid = grid})->can();
  return can.causal && can.decode;
} catch (const Error&) {  // it is for another grid
  return false;
}

std::vector<std::string> writing_specs() {
  std::vector<std::string> list;
  for (const Variant* variant : variants())
    for (const std::string& spec : shown_specs(*variant))
      if (can_write(spec)) list.push_back(spec);
  return list;
}

std::vector<Case> zoo_cases(const std::string& group, const std::vector<std::string>& names) {
  std::vector<Case> all;
  for (const std::string& name : names)
    all.push_back({.group = group, .name = name, .amount = 1, .make = [] {
                     return Action([] {});  // nothing is timed in turns: run_zoo trains
                   }});
  return all;
}

int run_zoo(const Benchmark& benchmark, const Settings& settings, const Zoo& zoo) {
  const Report report = start_report(settings, "");
  const std::string path = settings.json.empty() ? "runs/bench/" + settings.benchmark + ".json" : settings.json;
  const std::string what =
      format("%g s each, %d threads, ", settings.seconds, settings.threads) + report.machine + ": " + zoo.about;
  Ledger ledger(path, report, what);
  std::cout << what << "\nrows are kept in " << path << ", which a zoo that was stopped goes on with\n\n";
  print_row(heads(zoo));
  for (const Case& work : chosen_cases(benchmark, settings)) {
    if (!ledger.find(work.name)) ledger.add(trained(animal_named(zoo, work.name), settings.seconds));
    const Row& row = *ledger.find(work.name);
    print_row(texts(row));
    if (!row.problem.empty()) print_sentence("    " + row.problem);
  }
  write_report(settings.svg, picture(report, zoo, ledger.sorted(), settings.seconds));
  write_markdown(settings, markdown(report, zoo, ledger.sorted()));
  return 0;
}

}  // namespace heed::bench
