#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "system/error.h"
#include "system/nearest.h"
#include "system/text.h"

namespace heed {
namespace {

std::vector<std::string> pieces(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    all.push_back(text.substr(begin, end - begin));
  }
  return all;
}

double number(const std::string& name, const std::string& text, double low, double high) {
  const double value = number_in<double>(text).value_or(NAN);
  HEED_CHECK(value >= low && value <= high, "schedule", "got ", name, "=", text, "; it must be a number from ",
             shortest_text(low), " to ", shortest_text(high));
  return value;
}

constexpr double kMost = 1e12;  // steps and tokens: far beyond any run, and exact in a double

long whole(const std::string& name, const std::string& text, double low) {
  const double value = number(name, text, low, kMost);
  HEED_CHECK(value == std::floor(value), "schedule", "got ", name, "=", text, "; it must be a whole number");
  return long(value);
}

void set(Phase& phase, const std::string& name, const std::string& value) {
  if (name == "steps")
    phase.steps = whole(name, value, 1);
  else if (name == "context")
    phase.context = whole(name, value, 0);
  else if (name == "window")
    phase.window = whole(name, value, 0);
  else if (name == "warmup")
    phase.warmup = whole(name, value, 0);
  else if (name == "rate")
    phase.rate = number(name, value, 0, 1000);
  else if (name == "floor")
    phase.floor = number(name, value, 0, 1);
  else
    fail_unknown("schedule", "option", name, {"steps", "context", "window", "rate", "warmup", "floor"});
}

void check(const Phase& p) {
  const auto& known = Schedule::shapes();
  if (std::find(known.begin(), known.end(), p.shape) == known.end()) fail_unknown("schedule", "shape", p.shape, known);
  HEED_CHECK(p.steps >= 1, "schedule", "a phase has ", p.steps, " steps; it must have at least 1");
  HEED_CHECK(p.rate >= 0 && std::isfinite(p.rate), "schedule", "the rate is ", p.rate,
             "; it must be a number of at least 0");
  HEED_CHECK(p.warmup >= 0 && p.warmup < p.steps, "schedule", "warmup is ", p.warmup, " in a phase of ", p.steps,
             " steps; it must be shorter than the phase");
  HEED_CHECK(p.floor >= 0 && p.floor <= 1, "schedule", "floor is ", p.floor, "; it is a part of the rate, from 0 to 1");
}

Phase parsed(const std::string& text, Phase phase) {
  const size_t colon = text.find(':');
  const bool bare = colon == std::string::npos && text.find('=') == std::string::npos;  // "cosine"
  if (bare || colon != std::string::npos) phase.shape = text.substr(0, colon);
  std::set<std::string> given;
  for (const std::string& part : bare ? std::vector<std::string>() : pieces(text.substr(colon + 1), ',')) {
    const size_t equals = part.find('=');
    HEED_CHECK(equals != std::string::npos, "schedule", "'", text, "' has '", part,
               "' where an option is expected; the rule is shape:option=value,option=value");
    const std::string name = part.substr(0, equals);
    set(phase, name, part.substr(equals + 1));
    HEED_CHECK(given.insert(name).second, "schedule", "'", text, "' gives ", name, " twice");
  }
  check(phase);
  return phase;
}

// How much of the rate is left behind the warm-up, as a part of it; progress runs from 0 to 1.
double left(const Phase& p, double progress, double t) {
  const auto above_floor = [&](double part) { return p.floor + (1 - p.floor) * part; };
  if (p.shape == "cosine") return above_floor((1 + std::cos(std::numbers::pi * progress)) / 2);
  if (p.shape == "linear") return above_floor(1 - progress);
  if (p.shape == "inverse_sqrt") return std::sqrt(std::max<double>(double(p.warmup), 1) / std::max(t, 1.0));
  return 1;
}

}  // namespace

const std::vector<std::string>& Schedule::shapes() {
  static const std::vector<std::string> names = {"constant", "cosine", "linear", "inverse_sqrt"};
  return names;
}

double Phase::rate_at(long t) const {
  HEED_CHECK(t >= 0, "schedule", "the step is ", t, "; steps count from 1, and 0 is before the first");
  t = std::min(t, steps);
  if (t < warmup) return rate * double(t) / double(warmup);
  return rate * left(*this, double(t - warmup) / double(steps - warmup), double(t));
}

Schedule::Schedule(const std::string& text, const Phase& defaults) {
  check(defaults);
  if (text.empty()) {
    phases_ = {defaults};
    return;
  }
  for (const std::string& part : pieces(text, ';')) {
    HEED_CHECK(!part.empty(), "schedule", "'", text, "' has an empty phase; phases stand between semicolons");
    phases_.push_back(parsed(part, defaults));
  }
}

long Schedule::start_of(int phase) const {
  long steps = 0;
  for (int i = 0; i < phase; i++) steps += phases_[size_t(i)].steps;
  return steps;
}

long Schedule::steps() const { return start_of(int(phases_.size())); }

int Schedule::phase_number(long step) const {
  int i = 0;
  while (i + 1 < int(phases_.size()) && step > start_of(i + 1)) i++;
  return i;
}

const Phase& Schedule::phase_at(long step) const { return phases_[size_t(phase_number(step))]; }

double Schedule::rate_at(long step) const {
  const int phase = phase_number(step);
  return phases_[size_t(phase)].rate_at(step - start_of(phase));
}

std::string Schedule::text() const {
  std::string all;
  for (const Phase& p : phases_) {
    all += (all.empty() ? "" : ";") + p.shape + ":steps=" + std::to_string(p.steps) + ",rate=" + shortest_text(p.rate) +
           ",warmup=" + std::to_string(p.warmup) + ",floor=" + shortest_text(p.floor);
    if (p.context) all += ",context=" + std::to_string(p.context);
    if (p.window) all += ",window=" + std::to_string(p.window);
  }
  return all;
}

}  // namespace heed
