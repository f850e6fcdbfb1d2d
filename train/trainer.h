// Trainer: the model of a task and its optimiser, one step at a time.
//
//   Trainer trainer(task);
//   while (trainer.step() < trainer.last_step()) {
//     const Step done = trainer.advance();
//     std::printf("%ld %.3f\n", trainer.step(), done.loss);
//   }
//
// A step depends on the settings, the weights and its number only: what is drawn is keyed by (seed, step, sample). So a
// run that goes on from a checkpoint computes the same bits as one that was never stopped, and so do micro-batches up
// to the rounding of their sum. A task of streams adds what the model remembers of them, which is saved with the
// weights.
//
// It trains where the program's option --device says, or else where the model is (Module::move_to); batches come from
// the host.
//
// Several ranks train one model together: each has a task and a trainer of its own, all with the same settings. A rank
// draws its part of every batch, by the numbers that its samples have in the whole; the gradients of all are added up
// once per step, in the order of the ranks. So any number of ranks computes what one computes, up to the rounding of
// this sum, and all of them have the same bits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "nn/arena.h"
#include "train/checkpoint_state.h"
#include "train/optimiser.h"
#include "train/stream_states.h"
#include "train/task.h"

namespace heed {

struct Step {
  double loss = 0;  // nats per target, the mean over all of the batch that counts
  double rate = 0, gradient_norm = 0;
  long tokens = 0;                             // that were read, without padding
  std::map<std::string, double> metrics = {};  // what the model's parts reported (Context::report), means
};

// What training needs, found out by steps that do not change the weights.
struct Needs {
  size_t bytes = 0;  // of all tensors at the highest point
  double seconds = 0;
};

class Trainer {
 public:
  explicit Trainer(Task& task);              // draws the weights
  Trainer(Task& task, Communicator& ranks);  // as one of several ranks; they must outlive it

  Task& task() { return task_; }
  Device device() const { return arena_.weights().device(); }
  Module& model() const { return task_.objective().model(); }
  long step() const { return optimiser_->steps(); }  // that are done
  long last_step() const { return schedule_.steps(); }
  const Schedule& schedule() const { return schedule_; }
  const Phase& phase() const { return schedule_.phase_at(step() + 1); }  // of the next step

  // The next step. If the loss or a gradient is not finite, throws NotFinite (autograd/finite.h) that names the op
  // where it began; the weights stay as they were. `look_at_everything`: looks at the result of every op, also if the
  // loss is finite.
  Step advance(bool look_at_everything = false);
  Needs try_step(long step);  // of this step alone: phases differ

  void check_weights() const;  // throws NotFinite if one is NaN or infinite
  // For checkpoints. The tensors are views: write them before the next step. The settings are without their data:
  // where it lies must not matter.
  TrainingState state();
  void restore(const TrainingState& state, const std::string& from);  // throws if it does not fit

 private:
  Trainer(Task& task, std::unique_ptr<Communicator> alone, Communicator* ranks);
  std::vector<long> rows_at(long step) const;  // samples of each micro-batch of this rank
  std::vector<double> told(const std::function<std::vector<double>()>& own);
  void agree(Step& done);
  Step advanced(bool look_at_everything, const StreamStates::Saved& before);
  long context_at(long step) const;
  long batch_at(long step) const;
  std::vector<Batch> drawn(long step);  // the batch of a step, by micro-batches
  double accumulate(long step);         // the gradients of a step into the arena; returns its loss
  double passes(long step, const std::vector<Batch>& parts, double counted);
  double watched(long step, const char* what);  // the same, looking at the result of every op
  void restore_streams(const StreamStates::Saved& saved, long step, const std::string& from);
  [[noreturn]] void explain(long step, const char* what, const std::string& where) const;

  Task& task_;
  std::unique_ptr<Communicator> alone_;  // null: there are others
  Communicator& ranks_;
  TrainSettings settings_;
  Schedule schedule_;
  ParameterArena arena_;
  std::unique_ptr<Optimiser> optimiser_;
  Context ctx_;
  StreamStates streams_;  // empty if the task has none
  long tokens_ = 0;       // of the batch that was drawn last
};

Needs needs_of_rest(Trainer& trainer);  // of all steps that are left; tries one of every phase

// How many steps of this task take about so many seconds here; at least 1. Tries some steps to find out.
long steps_within(double seconds, Task& task);

}  // namespace heed
