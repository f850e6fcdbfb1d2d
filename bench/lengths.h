// What benchmarks share that follow one kind of work over several lengths of text: a row a case, and in it time and
// memory at each length. A peer may take part at the longest one.
#pragma once

#include "bench/beside.h"
#include "bench/run.h"
#include "bench/variant_rows.h"

namespace heed::bench {

inline constexpr long kLengths[] = {1024, 2048, 4096};
inline constexpr long kLongestLength = 4096;

// The work of a row at one length. The actions own what they need.
struct LengthWork {
  bool causal = false;
  long parameters = 0;
  Action forward;    // without a gradient
  Action both;       // forward and backward, with gradients that are new
  Action step = {};  // of training; empty: there is none
};

struct Lengths {
  std::string about;  // the sizes, for the head of the table
  std::function<LengthWork(const std::string& name, long n)> make;
  bool steps = false;                      // is there a column for step?
  std::string request = {};                // of a peer: its step at the longest text; empty: it takes no part
  std::vector<MeasuredVariant> bars = {};  // of our step against it
};

// A case for every registered attention variant, and for those with a bar; `make` turns its name into the work of the
// shortest text.
std::vector<Case> variant_cases(const std::string& group, const std::vector<MeasuredVariant>& bars,
                                const std::function<Action(const std::string& name)>& make);

// Measures every chosen case by its name. Cells that would take over 20 seconds, to judge by shorter texts, are not
// begun and say "stopped".
int run_lengths(const Benchmark& benchmark, const Settings& settings, const Lengths& lengths);

}  // namespace heed::bench
