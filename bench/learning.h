// Learning: how well a model knows what it was taught after the same time of training, ours and PyTorch's. What a
// training run is for is the loss on what it has not seen, not steps per second, so this is what all other benchmarks
// come to.
//
// Both sides begin with weights drawn alike, draw from the same data, and follow the same learning rate: some steps of
// warm-up, then a cosine over the time, not over the steps, so that both end when their time does. They take turns of
// some seconds. PyTorch's is compiled, and its compilation does not count; nor does the validation on either side.
#pragma once

#include <memory>

#include "bench/harness.h"
#include "bench/worker.h"
#include "models/objectives/objective.h"
#include "nn/arena.h"
#include "train/adamw.h"
#include "train/task.h"

namespace heed::bench {

struct Standing {
  double score = 0;  // less is better
  long steps = 0;
};

// A side: trains until it has used `until` of its seconds, then tells how it stands by the first `limit` bytes or
// pictures that it has not seen.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual void train(double until, double budget) = 0;
  virtual Standing validate(long limit) = 0;
};

// What is learned, and by whom.
struct Lesson {
  std::string name, unit;  // "small", "bits per byte"
  std::string about;       // of the data, a line
  long glance = 0;         // the limit of all validations but the last, which has none
  std::function<std::unique_ptr<Learner>(long seed)> ours;
  std::function<std::string(long seed)> request;  // the same work in the peer's words (bench/peer.py)
};

inline constexpr long kLearningSeeds = 3;
std::vector<Case> learning_cases(const std::string& group);  // one for each seed
// Every seed that is asked for, with the peer if there is one.
int run_lesson(const Benchmark& benchmark, const Settings& settings, const Lesson& lesson);

// Our side of any objective, but for the validation: `draw` makes the batch of a step, from 1 on.
class OwnTraining {
 public:
  OwnTraining(Objective& objective, long seed, double rate, std::function<Batch(uint32_t step)> draw);
  void train(double until, double budget);
  long steps() const { return optimiser_.steps(); }
  double seconds() const { return used_; }
  long parameters() const { return arena_.weights().numel(); }

 private:
  void step(double share);

  Objective& objective_;
  double rate_;  // the peak
  std::function<Batch(uint32_t step)> draw_;
  ParameterArena arena_;
  AdamW optimiser_;
  Context ctx_;
  double used_ = 0;
};

// Our side of a task: its batches, at its peak rate, and its own validation, which is always the whole of it.
class TaskLearner : public Learner {
 public:
  TaskLearner(std::unique_ptr<Task> task, long seed);
  void train(double until, double budget) override { training_.train(until, budget); }
  Standing validate(long) override { return {task_->validate({}), training_.steps()}; }
  const OwnTraining& training() const { return training_; }

 private:
  std::unique_ptr<Task> task_;
  OwnTraining training_;
};

}  // namespace heed::bench
