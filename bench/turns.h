// Timing several sides that take turns, so that whatever happens to the machine happens to all of them.
#pragma once

#include <functional>
#include <vector>

namespace heed::bench {

struct Quartiles {
  double low = 0, middle = 0, high = 0;
};
Quartiles quartiles(std::vector<double> values);  // zeros if there are none
std::vector<double> pairwise_ratios(const std::vector<double>& over, const std::vector<double>& under);

struct Side {
  std::function<double(long repetitions)> run;  // does the work so many times; returns the seconds it took
  std::function<double()> cpu_seconds;          // processor time its process has used, to see whether it is at rest
};

inline constexpr int kFewestRounds = 9;  // for a median and quartiles that mean something

// Runs all sides in rounds, each side one turn per round (every second round in reverse order), until `seconds` are
// over and there are so many rounds. A turn is so many repetitions that it takes some milliseconds. Before it everybody
// must be at rest (threads that wait for work spin for a while, and would take a core from the next side), and one
// repetition runs untimed: it wakes the threads and brings the data back into the caches.
// Returns the seconds of one repetition: [side][round].
std::vector<std::vector<double>> take_turns(const std::vector<Side>& sides, double seconds,
                                            int fewest_rounds = kFewestRounds);

}  // namespace heed::bench
