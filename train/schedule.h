// Schedule: the learning rate of every step, and what the trainer changes on the way. It is written as a text:
//
//   "cosine:warmup=100,floor=0.1"                                      one phase for the whole run
//   "steps=1000,context=128,rate=1e-3;steps=500,context=256,rate=5e-4,warmup=50"          phases, one after the other
//   "steps=800,contexts=0.5,windows=0.25,batch=16;steps=200,batch=4"   short windows and texts first
//
// A phase is [shape:]option=value,...; what it does not say is taken from the defaults. The rate at step t of a phase
// of n steps with w steps of warm-up (t counts from 1; t = 0 is before the first step):
//
//   warm-up         rate t / w                              while t < w
//   constant        rate
//   cosine          rate (f + (1 - f) (1 + cos(pi p)) / 2)  p = (t - w) / (n - w) in 0..1, f = floor
//   linear          rate (f + (1 - f) (1 - p))
//   inverse_sqrt    rate sqrt(max(w, 1) / t)
//
//   const Schedule schedule("cosine:warmup=100", {.steps = 2000, .rate = 1e-3});
//   optimiser.step(schedule.rate_at(optimiser.steps() + 1));
#pragma once

#include <string>
#include <vector>

namespace heed {

struct Phase {
  long steps = 1000;
  long context = 0;     // tokens of a training sequence; 0: the model's
  double contexts = 1;  // if no context is said: a part of the model's, above 0 and at most 1
  long batch = 0;       // samples of a step; 0: the run's
  long window = 0;      // of attention, one-sided, a cap for all layers; 0: the model's
  double windows = 1;   // a part of every layer's own window, above 0 and at most 1: they grow together, layer by layer
  double rate = 1e-3;
  long warmup = 0;   // steps, below `steps`
  double floor = 0;  // of cosine and linear: the last step's part of the rate, 0..1
  std::string shape = "constant";

  long context_of(long whole) const;  // tokens of a training sequence of a model of so many; at least 1
  double rate_at(long t) const;       // t = 0..steps in this phase; behind it as at its end
};

class Schedule {
 public:
  // An empty text is one phase, the defaults. Every mistake is an Error that says the phase, the text and the rule.
  explicit Schedule(const std::string& text, const Phase& defaults = {});

  long steps() const;               // of all phases
  double rate_at(long step) const;  // step = 1, 2, ...; 0: before the first; beyond the end: the last rate
  const Phase& phase_at(long step) const;
  int phase_number(long step) const;    // an index of phases()
  long past_of_phase(long step) const;  // how many steps of its phase there were before this one
  const std::vector<Phase>& phases() const { return phases_; }

  // Every option written out: Schedule(s.text()) is s.
  std::string text() const;

  static const std::vector<std::string>& shapes();  // the known names

 private:
  long start_of(int phase) const;  // steps before it
  std::vector<Phase> phases_;
};

}  // namespace heed
