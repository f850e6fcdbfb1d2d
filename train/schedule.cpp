#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "system/error.h"
#include "system/nearest.h"
#include "system/spec.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr double kMost = 1e12;  // steps and tokens: far beyond any run, and exact in a double

void set(Phase& phase, const SpecOption& option) {
  const auto whole = [&](double low) { return whole_number_of("schedule", option, low, kMost); };
  const auto number = [&](double high) { return number_of("schedule", option, 0, high); };
  if (option.name == "steps")
    phase.steps = whole(1);
  else if (option.name == "context")
    phase.context = whole(0);
  else if (option.name == "contexts")
    phase.contexts = number(1);
  else if (option.name == "window")
    phase.window = whole(0);
  else if (option.name == "batch")
    phase.batch = whole(0);
  else if (option.name == "windows")
    phase.windows = number(1);
  else if (option.name == "warmup")
    phase.warmup = whole(0);
  else if (option.name == "rate")
    phase.rate = number(1000);
  else if (option.name == "floor")
    phase.floor = number(1);
  else
    fail_unknown("schedule", "option", option.name,
                 {"steps", "context", "contexts", "batch", "window", "windows", "rate", "warmup", "floor"});
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
  HEED_CHECK(p.contexts > 0 && p.contexts <= 1, "schedule", "contexts is ", p.contexts,
             "; it is a part of the model's context, above 0 and at most 1");
  HEED_CHECK(p.context == 0 || p.contexts == 1, "schedule", "context is ", p.context, " and contexts is ", p.contexts,
             "; a phase says one of them");
  HEED_CHECK(p.windows > 0 && p.windows <= 1, "schedule", "windows is ", p.windows,
             "; it is a part of every layer's own window, above 0 and at most 1");
}

Phase parsed(const std::string& text, Phase phase) {
  const Spec spec(text, {"schedule", "shape:option=value,option=value", false});
  if (!spec.name.empty() || text.starts_with(':')) phase.shape = spec.name;
  for (const SpecOption& option : spec.options) set(phase, option);
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

long Phase::context_of(long whole) const {
  return context ? context : std::max(1L, std::lround(contexts * double(whole)));
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
  for (const std::string& part : split(text, ';')) {
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

long Schedule::past_of_phase(long step) const { return step - 1 - start_of(phase_number(step)); }

double Schedule::rate_at(long step) const {
  const int phase = phase_number(step);
  return phases_[size_t(phase)].rate_at(step - start_of(phase));
}

std::string Schedule::text() const {
  std::vector<std::string> texts;
  for (const Phase& p : phases_) {
    std::vector<SpecOption> options = {{"steps", std::to_string(p.steps)},
                                       {"rate", shortest_text(p.rate)},
                                       {"warmup", std::to_string(p.warmup)},
                                       {"floor", shortest_text(p.floor)}};
    if (p.context) options.push_back({"context", std::to_string(p.context)});
    if (p.contexts != 1) options.push_back({"contexts", shortest_text(p.contexts)});
    if (p.batch) options.push_back({"batch", std::to_string(p.batch)});
    if (p.window) options.push_back({"window", std::to_string(p.window)});
    if (p.windows != 1) options.push_back({"windows", shortest_text(p.windows)});
    texts.push_back(spec_text(p.shape, options));
  }
  return joined(texts, ";");
}

}  // namespace heed
