// run_cases: a benchmark that is a list of cases.
#include <algorithm>
#include <iostream>
#include <memory>

#include "bench/machine.h"
#include "bench/run.h"

namespace heed::bench {
namespace {

// Measures, and tells what it does meanwhile.
class Session {
 public:
  explicit Session(const Settings& settings) : settings_(settings), peer_(open_peer(settings)) {}

  std::string peer_description() {
    try {
      return peer_ ? peer_->ask("probe") : "";
    } catch (const WorkerError& error) {
      peer_.reset();
      std::cerr << error.what() << "; going on without it\n";
      return "";
    }
  }

  Result measure(const Case& work) {
    const Transient line("measuring " + work.name + " ...");
    const Action action = work.make();
    action();
    try {
      return measure_with_peer(work, action);
    } catch (const WorkerError& error) {  // gone for this case; those that follow get a new one
      peer_.reset();                      // first, so that its memory is free again
      peer_ = open_peer(settings_);
      Result result = result_of(work, take_turns({own_side(action)}, settings_.seconds));
      result.note = error.what();
      return result;
    }
  }

  double peer_seconds() const { return peer_ ? peer_->cpu_seconds() : 0; }

 private:
  Result measure_with_peer(const Case& work, const Action& action) {
    std::vector<Side> sides = {own_side(action)};
    std::string note;
    const bool ask = peer_ && !work.request.empty() && !work.against;
    if (ask) note = peer_->prepare(work.request);
    if (ask && note.empty()) sides.push_back(peer_->side());
    if (work.against) {
      const Action other = work.against();
      other();
      sides.push_back(own_side(other));
    }
    Result result = result_of(work, take_turns(sides, settings_.seconds));
    result.note = note;
    return result;
  }

  const Settings& settings_;
  std::unique_ptr<Worker> peer_;
};

// What these cases are held against; nothing if none of them has a speed.
std::vector<Case> machine_of(const std::vector<Case>& cases) {
  if (std::none_of(cases.begin(), cases.end(), [](const Case& work) { return work.amount > 0; })) return {};
  std::vector<Case> machine = machine_cases();
  for (const Case& work : further_machine_cases(cases)) machine.push_back(work);
  return machine;
}

}  // namespace

int run_cases(const Benchmark& benchmark, const Settings& settings) {
  return run_cases(chosen_cases(benchmark, settings), settings);
}

int run_cases(const std::vector<Case>& cases, const Settings& settings, const std::string& more) {
  Session session(settings);
  const std::string peer = session.peer_description();
  Report report = start_report(settings, peer.empty() ? "" : peer + more);
  Limits limits;
  Table table(report, settings, [&] { return session.peer_seconds(); });
  for (const Case& work : machine_of(cases)) {
    const Result result = session.measure(work);
    limits.learn(result);
    table.add(result);
  }
  for (const Case& work : cases) {
    Result result = session.measure(work);
    if (report.peer_name == "heed" && !work.against) result.work.bar.ratio = 0;  // for PyTorch, and not another build
    if (work.remark) result.note += (result.note.empty() ? "" : "; ") + work.remark();
    result.limit = work.amount > 0 ? limits.of(work) : 0;
    table.add(result);
  }
  table.finish();
  return 0;
}

}  // namespace heed::bench
