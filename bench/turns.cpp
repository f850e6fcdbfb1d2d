#include "bench/turns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace heed::bench {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr double kTurn = 0.0075;   // seconds that a turn is meant to take
constexpr double kLong = 0.05;     // work that takes longer needs no untimed repetition
constexpr int kLongestRest = 100;  // milliseconds

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Pace {
  long repetitions = 1;
  bool warm_up = true;
};

// The fastest of three tries counts: in a bad moment one repetition may look like a whole turn.
Pace pace_of(const Side& side) {
  double one = 1e9;
  for (int tries = 0; tries < 3 && (tries == 0 || one < kLong); tries++) {
    long n = 1;
    double t = side.run(n);
    for (; t < 1e-3 && n < (1L << 24); n *= 4) t = side.run(4 * n);
    one = std::min(one, std::max(t / double(n), 1e-9));
  }
  return {std::max(1L, std::lround(kTurn / one)), one < kLong};
}

double cpu_seconds(const std::vector<Side>& sides) {
  double sum = 0;
  for (const Side& side : sides) sum += side.cpu_seconds ? side.cpu_seconds() : 0;
  return sum;
}

// Returns when nobody has used the processor for a millisecond. Who never rests is not waited for forever.
void rest(const std::vector<Side>& sides) {
  double before = cpu_seconds(sides);
  for (int i = 0; i < kLongestRest; i++) {
    std::this_thread::sleep_for(1ms);
    const double now = cpu_seconds(sides);
    if (i > 0 && now - before < 1e-4) return;
    before = now;
  }
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {  // linear between two values
    const double place = part * double(values.size() - 1);
    const size_t i = size_t(place);
    const double next = values[std::min(i + 1, values.size() - 1)];
    return values[i] + (place - double(i)) * (next - values[i]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

std::vector<double> pairwise_ratios(const std::vector<double>& over, const std::vector<double>& under) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(over.size(), under.size()); i++) ratios.push_back(over[i] / under[i]);
  return ratios;
}

std::vector<std::vector<double>> take_turns(const std::vector<Side>& sides, double seconds, int fewest_rounds) {
  std::vector<Pace> paces;
  for (const Side& side : sides) {
    rest(sides);
    paces.push_back(pace_of(side));
  }
  std::vector<std::vector<double>> turns(sides.size());
  const auto start = Clock::now();
  for (int round = 0; round < fewest_rounds || since(start) < seconds; round++) {
    for (size_t k = 0; k < sides.size(); k++) {
      const size_t i = round % 2 ? sides.size() - 1 - k : k;
      rest(sides);
      if (paces[i].warm_up) sides[i].run(1);
      turns[i].push_back(sides[i].run(paces[i].repetitions) / double(paces[i].repetitions));
    }
  }
  return turns;
}

}  // namespace heed::bench
