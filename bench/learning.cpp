// `build/bench learning --data FILE`: how well the small language model (bench/gpt.h) knows a text after the same time
// of training, ours and PyTorch's: `--seconds` each, with three seeds. What a training run is for is bits per byte of
// text it has not seen, not steps per second, so this is what all the others come to.
//
// Both sides begin with weights drawn alike (GPT-2), draw windows from the same bytes, and follow the same learning
// rate:
// 100 steps of warm-up, then a cosine over the time, not over the steps, so that both end when their time does. They
// take turns of some seconds. PyTorch's is compiled, and its compilation does not count; nor does the validation on
// either side.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numbers>
#include <optional>

#include "bench/gpt.h"
#include "bench/kernels.h"
#include "bench/run.h"
#include "show/chart.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/language_task.h"

namespace heed::bench {
namespace {

constexpr double kTurn = 15;                                // seconds of a turn
constexpr double kMarks[] = {0.1, 0.2, 0.3, 0.5, 0.75, 1};  // shares of the time after which they are validated
constexpr long kSeeds = 3;
constexpr double kRate = 2e-3;     // the peak, as in the preset `small`
constexpr long kWarmUp = 100;      // steps
constexpr long kGlance = 1 << 16;  // bytes of the validation but the last, which takes all of them

struct Standing {
  double bpc = 0;
  long steps = 0;
};

// A side: trains until it has used `until` of its seconds, then tells how it stands.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual void train(double until, double budget) = 0;
  virtual Standing validate(long bytes) = 0;
};

class Ours : public Learner {
 public:
  Ours(const GptSizes& s, long seed, const ByteData& data)
      : sizes_(s),
        train_(data.train),
        valid_(data.valid),
        model_(options_of(s)),
        arena_((model_.initialise(uint32_t(seed)), model_)),
        optimiser_(arena_, {.beta2 = 0.98, .weight_decay = 0.1, .clip = 1}) {
    ctx_.seed = uint32_t(seed);
    ctx_.train = true;
  }

  void train(double until, double budget) override {
    while (used_ < until) {
      const auto begin = std::chrono::steady_clock::now();
      step(used_ / budget);
      used_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
  }

  Standing validate(long bytes) override {
    return {bits_per_byte(model_, valid_.first(bytes), {.batch = sizes_.B, .context = sizes_.T}).bpc,
            optimiser_.steps()};
  }

 private:
  void step(double share) {
    const long next = optimiser_.steps() + 1;
    const double falling = 0.1 + 0.9 * 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, share)));
    const TokenBatch batch = train_.batch(ctx_.seed, uint32_t(next), 0, sizes_.B, sizes_.T);
    arena_.zero_gradients();
    ctx_.begin(uint32_t(next));
    NextToken(model_).summed_loss(batch_of(batch), {}, ctx_).backward(1 / double(batch.counted));
    ctx_.forget_decisions();
    optimiser_.step(kRate * falling * std::min(1.0, double(next) / kWarmUp));
  }

  GptSizes sizes_;
  TokenSplit train_;
  ByteSplit valid_;
  Gpt model_;
  ParameterArena arena_;
  AdamW optimiser_;
  Context ctx_;
  double used_ = 0;
};

class Theirs : public Learner {
 public:
  Theirs(Worker& peer, const GptSizes& s, long seed, const ByteData& data) : peer_(peer) {
    const std::string problem = peer.prepare(
        request("learning", {s.layers, s.width, s.heads, s.T, s.B, seed, data.train.size(), data.valid.size()}));
    HEED_CHECK(problem.empty(), "bench", problem);
  }
  void train(double until, double budget) override { peer_.ask(format("learn train %.3f %.3f", until, budget)); }
  Standing validate(long bytes) override {
    Standing now;
    const std::string answer = peer_.ask(format("learn validate %ld", bytes));
    HEED_CHECK(std::sscanf(answer.c_str(), "%lf %ld", &now.bpc, &now.steps) == 2, "bench", "the peer answered '",
               answer, "'; bits per byte and the number of steps were expected");
    return now;
  }

 private:
  Worker& peer_;
};

// ---- a run

struct Row {
  long seed = 0;
  double share = 0, seconds = 0;  // of the time, and of training, each
  Standing ours, theirs;
};

std::string text_of(const Standing& s) { return s.steps ? format("%.4f  (%ld steps)", s.bpc, s.steps) : ""; }

// "seed 1", "600 s", ours, theirs, difference
std::vector<std::string> texts(const Row& row) {
  const std::string more = row.theirs.steps ? format("%+.4f", row.ours.bpc - row.theirs.bpc) : "";
  return {format("seed %ld", row.seed), format("%.0f s", row.seconds), text_of(row.ours), text_of(row.theirs), more};
}

void print_row(const std::vector<std::string>& t) {
  print_line(
      format("%-10s %8s   %-24s %-24s %10s", t[0].c_str(), t[1].c_str(), t[2].c_str(), t[3].c_str(), t[4].c_str()));
}

std::vector<Row> learn(long seed, Learner& ours, Learner* theirs, double budget) {
  std::vector<Row> rows;
  double at = 0;
  for (const double share : kMarks) {
    for (const double mark = share * budget; at < mark;) {
      at = std::min(mark, at + kTurn);
      const Transient line(format("seed %ld: %.0f of %.0f seconds each", seed, at, budget));
      ours.train(at, budget);
      if (theirs) theirs->train(at, budget);
    }
    const long bytes = share == 1 ? std::numeric_limits<long>::max() : kGlance;
    rows.push_back({seed, share, at, ours.validate(bytes), theirs ? theirs->validate(bytes) : Standing()});
    print_row(texts(rows.back()));
  }
  return rows;
}

// The mean over the seeds.
class Mean {
 public:
  void add(const Row& row) { ours_ += row.ours.bpc, theirs_ += row.theirs.bpc, seeds_++; }
  double ours() const { return ours_ / double(seeds_); }
  double theirs() const { return theirs_ / double(seeds_); }  // 0: there is no peer

  std::string verdict() const {
    const std::string all = format("after the whole time, mean of %ld %s: ours %.4f bits per byte", seeds_,
                                   seeds_ == 1 ? "seed" : "seeds", ours());
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

std::string markdown(const Report& report, const std::vector<Row>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine;
  out += (report.peer.empty() ? "" : "; peer: " + report.peer + ", compiled") + ".\n\n";
  out += "| seed | training, each | ours, bits per byte | PyTorch | ours - PyTorch |\n|---|--:|--:|--:|--:|\n";
  for (const Row& row : rows) out += "| " + joined(texts(row), " | ") + " |\n";
  return out + "\n" + mean_at(1, rows).verdict() + ".\n";
}

Json::Array json_of(const std::vector<Row>& rows) {
  Json::Array list;
  for (const Row& row : rows)
    list.push_back(Json::Object{{"seed", row.seed},
                                {"seconds", row.seconds},
                                {"bpc", row.ours.bpc},
                                {"steps", row.ours.steps},
                                {"peer_bpc", row.theirs.bpc},
                                {"peer_steps", row.theirs.steps}});
  return list;
}

// Bits per byte over the time, the mean of the seeds.
Chart chart_of(const std::vector<Row>& rows, double seconds) {
  Series ours{"heed", {}}, theirs{"PyTorch, compiled", {}};
  for (const double share : kMarks) {
    const Mean mean = mean_at(share, rows);
    ours.points.push_back({share * seconds, mean.ours()});
    if (mean.theirs() > 0) theirs.points.push_back({share * seconds, mean.theirs()});
  }
  Chart chart{.title = "Bits per byte after the same time", .x_label = "seconds of training", .series = {ours}};
  if (!theirs.points.empty()) chart.series.push_back(theirs);
  return chart;
}

std::string name_of(long seed) { return format("small, seed %ld", seed); }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (long seed = 1; seed <= kSeeds; seed++)
    all.push_back({.group = "bits per byte after the same time, 4/256/4, T 512, B 8",
                   .name = name_of(seed),
                   .amount = 1,  // nothing is timed
                   .make = [] { return training_step({}); }});
  return all;
}

int run_learning(const Benchmark& benchmark, const Settings& settings) {
  HEED_CHECK(!settings.data.empty(), "bench", "there is no text to learn from. Give one: --data FILE");
  const ByteData data = ByteData::open(settings.data);
  HEED_CHECK(data.all.documents().size() == 1, "bench", settings.data, " has ", data.all.documents().size(),
             " documents; the peer reads one file. Join them");
  data.check_context(GptSizes().T);
  setenv("HEED_BENCH_DATA", settings.data.c_str(), 1);  // for the peer
  const std::unique_ptr<Worker> peer = open_peer(settings);
  const Report report = start_report(settings, peer ? peer->ask("probe") : "");
  std::cout << report.machine << "\n" << settings.data << ": " << data.summary() << "\n\n";
  print_row({"small", "training", "ours, bits per byte", peer ? "PyTorch, compiled" : "", "ours - it"});
  std::vector<Row> rows;
  for (const Case& work : chosen_cases(benchmark, settings)) {
    const long seed = *number_in<long>(work.name.substr(work.name.rfind(' ') + 1));
    std::optional<Theirs> theirs;
    if (peer) theirs.emplace(*peer, GptSizes(), seed, data);
    Ours ours({}, seed, data);
    for (const Row& row : learn(seed, ours, theirs ? &*theirs : nullptr, settings.seconds)) rows.push_back(row);
  }
  std::cout << "\n" << mean_at(1, rows).verdict() << "\n";
  write_report(settings.json, json(report, json_of(rows)));
  write_report(settings.svg, chart_svg(chart_of(rows, settings.seconds)));
  write_markdown(settings, markdown(report, rows));
  return 0;
}

const RegisteredBenchmark learning{
    {"learning", "Bits per byte after the same time of training, against PyTorch.", cases, run_learning}};

}  // namespace
}  // namespace heed::bench
