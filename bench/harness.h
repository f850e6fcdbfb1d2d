// The harness of all benchmarks: what is measured (Case), how it is measured (measure), and what came out (Result).
//
//   build/bench [kernels] --peer build/peer/bin/python --only norm
//
// A new benchmark is one file that registers itself, and a new case is one entry in its list (bench/README.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/turns.h"
#include "system/registry.h"

namespace heed::bench {

using Action = std::function<void()>;

// What a machine can do at most, measured in the same run: multiply and add, our own largest product, copy, read.
enum class Limit { peak, product, copy, read };
inline bool counts_operations(Limit limit) { return limit == Limit::peak || limit == Limit::product; }

// What a case is expected to reach; 0 means that nothing is demanded.
struct Bar {
  double ratio = 0;  // the peer's time / our time
  double share = 0;  // our speed / the limit
};

struct Case {
  std::string group, name;    // as shown: "products", "linear 4096 x 256 -> 1024"
  std::string request = {};   // the same work in the peer's words (bench/peer.py); empty: ours alone
  double amount = 0;          // floating-point operations (peak, product) or bytes that must be moved (copy, read);
                              // 0: nothing that both sides do is counted, and only times are told
  Limit limit = Limit::peak;  // what its speed is held against
  Bar bar = {};
  std::function<Action()> make = {};         // makes tensors and the work on them; the Action owns them
  std::function<Action()> against = {};      // other work of our own that takes the peer's place
  std::function<std::string()> remark = {};  // asked when the times are known: what else there is to say
};

struct Result {
  Case work;
  Quartiles ours, peer, ratio;  // seconds of one repetition; the peer's over ours, pair by pair. 0: not measured
  double best = 0;              // our fastest turn
  double limit = 0;             // GFLOP/s or GB/s that the machine can do at most; 0: not known
  std::string note;             // what else there is to say

  bool has_peer() const { return peer.middle > 0; }
  bool against_ourselves() const { return work.against != nullptr; }
  bool has_speed() const { return work.amount > 0; }
  double speed() const { return work.amount / ours.middle * 1e-9; }  // GFLOP/s or GB/s
  double peer_speed() const { return work.amount / peer.middle * 1e-9; }
  double share() const { return limit > 0 ? speed() / limit : 0; }
};

struct Settings {
  std::string benchmark = "kernels";
  double seconds = 1;  // per case
  int threads = 2;
  std::string peer = {}, peer_script = {};  // a python, or another build of this program; the script that python runs
  std::string only = {};                    // cases whose name contains it
  std::string data = {};                    // a text to learn from
  bool list = false;
  std::string json = {}, svg = {}, markdown = {};  // files to write
};

// `build/bench NAME`. Registers itself: const RegisteredBenchmark kernels{{"kernels", "...", cases, run_cases}};
struct Benchmark {
  std::string name, about;
  std::vector<Case> (*cases)();
  int (*run)(const Benchmark&, const Settings&);
};
inline constinit Registry<Benchmark> all_benchmarks{"bench", "benchmark"};
using RegisteredBenchmark = Registration<all_benchmarks>;

// Measures the machine, then case by case ours and the peer's, and prints a table as it goes.
int run_cases(const Benchmark& benchmark, const Settings& settings);
// The same for these cases; `more` is said of the peer behind what it says of itself.
int run_cases(const std::vector<Case>& cases, const Settings& settings, const std::string& more = "");
// The cases that are asked for: those of the benchmark whose name contains settings.only. Throws if there are none.
std::vector<Case> chosen_cases(const Benchmark& benchmark, const Settings& settings);

// Our side: the action, timed.
Side own_side(const Action& action);
// A result without limit and notes; turns[0] is ours, turns[1] the peer's if there is one.
Result result_of(const Case& work, const std::vector<std::vector<double>>& turns);

// The other end of a Worker: answers the protocol of bench/peer.py on stdin and stdout with our own cases.
int serve(int threads);

}  // namespace heed::bench
