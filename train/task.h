// Task: what is learned. It owns the data and the model, draws batches, and knows by what it is judged; a Run (run.h)
// does the rest, and knows no model. tasks/language, tasks/classify: one folder each.
//
//   LanguageTask task(settings, data);
//   const RunResult result = train_run(task, {.run = "runs/mine", .resume = true});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/objectives/objective.h"
#include "train/score.h"
#include "train/train_settings.h"

namespace heed {

class Page;
class RunFolder;

// Which part of which batch. A batch is a function of seed and step, and its sample number `first` + i of these alone:
// micro-batches and ranks draw what one batch draws, and a run that is resumed needs no state.
struct BatchPart {
  uint32_t seed = 0, step = 0;
  long first = 0, rows = 0;  // samples of the batch
  long context = 0;          // tokens of a sample
  long batch = 0;            // samples of the whole batch
  long phase = 0, past = 0;  // of the schedule, from 0, and how many of its steps there were before this one
};

class Task {
 public:
  virtual ~Task() = default;

  virtual Objective& objective() = 0;
  virtual const TrainSettings& training() const = 0;
  virtual const Score& score() const = 0;
  virtual long context() const = 0;      // tokens of a sample at most
  virtual std::string unit() const = 0;  // what a token is, in the plural: "bytes"

  virtual Batch draw(const BatchPart& part) = 0;
  // Do rows go on where they ended in the step before (Batch::fresh)? Then the trainer keeps what the model remembers.
  virtual bool streams() const { return false; }
  virtual std::string nothing_to_predict(long context) const;  // why a batch may count nothing: half a sentence

  // The score of a step in training, from its mean loss in nats and what the model reported (Context::report).
  virtual double training_score(double loss, const std::map<std::string, double>& metrics) const = 0;
  // The score on data that is not learned, with the context and the windows that the phase has.
  virtual double validate(const Phase& phase) = 0;

  // ---- what a run writes for it

  virtual Json settings() const = 0;  // all that decides what is learned, and "data", where it lies
  // What a file says, as settings of this kind of task, with defaults for what an older one lacks. Throws a sentence if
  // they are of another kind, or cannot be.
  virtual Json known_settings(const Json& given, const std::string& from) const = 0;
  virtual std::string fingerprint() const = 0;  // of the data: another one if it has changed
  // Named byte strings that belong to the model and are no tensors: a vocabulary, a palette, names of labels. They are
  // in every checkpoint, and a run goes on only with the same ones.
  virtual std::map<std::string, std::string> strings() const { return {}; }
  virtual void write_samples(const RunFolder&, long /*step*/) {}  // with every checkpoint
  virtual void add_to_page(Page&, const RunFolder&) const {}      // its own part of the run's page
};

}  // namespace heed
