// What `bench learning` and `bench learning-pictures` have in common: two sides that take turns, and the table of how
// they stand.
#include "bench/learning.h"

#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <optional>

#include "bench/kernels.h"
#include "bench/run.h"
#include "show/chart.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"

namespace heed::bench {
namespace {

constexpr double kTurn = 15;                                // seconds of a turn
constexpr double kMarks[] = {0.1, 0.2, 0.3, 0.5, 0.75, 1};  // shares of the time after which they are validated
constexpr long kWarmUp = 100;                               // steps

class Theirs : public Learner {
 public:
  Theirs(Worker& peer, const std::string& request, const std::string& unit) : peer_(peer), unit_(unit) {
    const std::string problem = peer.prepare(request);
    HEED_CHECK(problem.empty(), "bench", problem);
  }
  void train(double until, double budget) override { peer_.ask(format("learn train %.3f %.3f", until, budget)); }
  Standing validate(long limit) override {
    Standing now;
    const std::string answer = peer_.ask(format("learn validate %ld", limit));
    HEED_CHECK(std::sscanf(answer.c_str(), "%lf %ld", &now.score, &now.steps) == 2, "bench", "the peer answered '",
               answer, "'; ", unit_, " and the number of steps were expected");
    return now;
  }

 private:
  Worker& peer_;
  std::string unit_;
};

// ---- a run

struct Row {
  long seed = 0;
  double share = 0, seconds = 0;  // of the time, and of training, each
  Standing ours, theirs;
};

std::string text_of(const Standing& s) { return s.steps ? format("%.4f  (%ld steps)", s.score, s.steps) : ""; }

// "seed 1", "600 s", ours, theirs, difference
std::vector<std::string> texts(const Row& row) {
  const std::string more = row.theirs.steps ? format("%+.4f", row.ours.score - row.theirs.score) : "";
  return {format("seed %ld", row.seed), format("%.0f s", row.seconds), text_of(row.ours), text_of(row.theirs), more};
}

void print_row(const std::vector<std::string>& t) {
  print_line(
      format("%-10s %8s   %-24s %-24s %10s", t[0].c_str(), t[1].c_str(), t[2].c_str(), t[3].c_str(), t[4].c_str()));
}

std::vector<Row> learn(long seed, const Lesson& lesson, Learner& ours, Learner* theirs, double budget) {
  std::vector<Row> rows;
  double at = 0;
  for (const double share : kMarks) {
    for (const double mark = share * budget; at < mark;) {
      at = std::min(mark, at + kTurn);
      const Transient line(format("seed %ld: %.0f of %.0f seconds each", seed, at, budget));
      ours.train(at, budget);
      if (theirs) theirs->train(at, budget);
    }
    const long limit = share == 1 ? std::numeric_limits<long>::max() : lesson.glance;
    rows.push_back({seed, share, at, ours.validate(limit), theirs ? theirs->validate(limit) : Standing()});
    print_row(texts(rows.back()));
  }
  return rows;
}

// The mean over the seeds.
class Mean {
 public:
  void add(const Row& row) { ours_ += row.ours.score, theirs_ += row.theirs.score, seeds_++; }
  double ours() const { return ours_ / double(seeds_); }
  double theirs() const { return theirs_ / double(seeds_); }  // 0: there is no peer

  std::string verdict(const std::string& unit) const {
    const std::string all =
        format("after the whole time, mean of %ld %s: ours %.4f ", seeds_, seeds_ == 1 ? "seed" : "seeds", ours()) +
        unit;
    if (theirs() == 0) return all;
    return all + format(", PyTorch %.4f; bar: no worse, ", theirs()) + (ours() <= theirs() ? "met" : "SHORT");
  }

 private:
  double ours_ = 0, theirs_ = 0;
  long seeds_ = 0;
};

Mean mean_at(double share, const std::vector<Row>& rows) {
  Mean mean;
  for (const Row& row : rows)
    if (row.share == share) mean.add(row);
  return mean;
}

std::string markdown(const Report& report, const Lesson& lesson, const std::vector<Row>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine;
  out += (report.peer.empty() ? "" : "; peer: " + report.peer + ", compiled") + ".\n\n";
  out += "| seed | training, each | ours, " + lesson.unit + " | PyTorch | ours - PyTorch |\n|---|--:|--:|--:|--:|\n";
  for (const Row& row : rows) out += "| " + joined(texts(row), " | ") + " |\n";
  return out + "\n" + mean_at(1, rows).verdict(lesson.unit) + ".\n";
}

Json::Array json_of(const std::vector<Row>& rows) {
  Json::Array list;
  for (const Row& row : rows)
    list.push_back(Json::Object{{"seed", row.seed},
                                {"seconds", row.seconds},
                                {"score", row.ours.score},
                                {"steps", row.ours.steps},
                                {"peer_score", row.theirs.score},
                                {"peer_steps", row.theirs.steps}});
  return list;
}

// The score over the time, the mean of the seeds.
Chart chart_of(const Lesson& lesson, const std::vector<Row>& rows, double seconds) {
  Series ours{"heed", {}}, theirs{"PyTorch, compiled", {}};
  for (const double share : kMarks) {
    const Mean mean = mean_at(share, rows);
    ours.points.push_back({share * seconds, mean.ours()});
    if (mean.theirs() > 0) theirs.points.push_back({share * seconds, mean.theirs()});
  }
  Chart chart{.title = lesson.name + ": " + lesson.unit + " after the same time",
              .x_label = "seconds of training",
              .series = {ours}};
  if (!theirs.points.empty()) chart.series.push_back(theirs);
  return chart;
}

std::string name_of(long seed) { return format("seed %ld", seed); }

}  // namespace

OwnTraining::OwnTraining(Objective& objective, long seed, double rate, std::function<Batch(uint32_t step)> draw)
    : objective_(objective),
      rate_(rate),
      draw_(std::move(draw)),
      arena_((objective.model().initialise(uint32_t(seed)), objective.model())),
      optimiser_(arena_, {.beta2 = 0.98, .weight_decay = 0.1, .clip = 1}) {
  ctx_.seed = uint32_t(seed);
  ctx_.train = true;
}

void OwnTraining::train(double until, double budget) {
  while (used_ < until) {
    const auto begin = std::chrono::steady_clock::now();
    step(used_ / budget);
    used_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
}

void OwnTraining::step(double share) {
  const long next = optimiser_.steps() + 1;
  const double falling = 0.1 + 0.9 * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, share)));
  const Batch batch = draw_(uint32_t(next));
  arena_.zero_gradients();
  ctx_.begin(uint32_t(next));
  objective_.summed_loss(batch, {}, ctx_).backward(1 / double(batch.counted), 1);
  ctx_.forget_decisions();
  optimiser_.step(rate_ * falling * std::min(1.0, double(next) / kWarmUp));
  ctx_.end_step();
}

TaskLearner::TaskLearner(std::unique_ptr<Task> task, long seed)
    : task_(std::move(task)), training_(task_->objective(), seed, task_->training().rate, [this, seed](uint32_t step) {
        return task_->draw({.seed = uint32_t(seed),
                            .step = step,
                            .rows = task_->training().batch,
                            .context = task_->context(),
                            .batch = task_->training().batch});
      }) {}

std::vector<Case> learning_cases(const std::string& group) {
  std::vector<Case> all;
  for (long seed = 1; seed <= kLearningSeeds; seed++)
    all.push_back({.group = group, .name = name_of(seed), .amount = 1, .make = [] {
                     return Action([] {});  // nothing is timed: run_lesson trains
                   }});
  return all;
}

int run_lesson(const Benchmark& benchmark, const Settings& settings, const Lesson& lesson) {
  const std::unique_ptr<Worker> peer = open_peer(settings);
  const Report report = start_report(settings, peer ? peer->ask("probe") : "");
  std::cout << report.machine << "\n" << lesson.about << "\n\n";
  print_row({lesson.name, "training", "ours, " + lesson.unit, peer ? "PyTorch, compiled" : "", "ours - it"});
  std::vector<Row> rows;
  for (const Case& work : chosen_cases(benchmark, settings)) {
    const long seed = *number_in<long>(work.name.substr(work.name.rfind(' ') + 1));
    std::optional<Theirs> theirs;
    if (peer) theirs.emplace(*peer, lesson.request(seed), lesson.unit);
    const std::unique_ptr<Learner> ours = lesson.ours(seed);
    for (const Row& row : learn(seed, lesson, *ours, theirs ? &*theirs : nullptr, settings.seconds))
      rows.push_back(row);
  }
  std::cout << "\n" << mean_at(1, rows).verdict(lesson.unit) << "\n";
  write_report(settings.json, json(report, json_of(rows)));
  write_report(settings.svg, chart_svg(chart_of(lesson, rows, settings.seconds)));
  write_markdown(settings, markdown(report, lesson, rows));
  return 0;
}

}  // namespace heed::bench
