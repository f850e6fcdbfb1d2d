// TrainSettings: what decides a training whatever is learned, and what a run writes on its way. A task's own settings
// have one of these, and put its rows into their table.
#pragma once

#include <string>

#include "train/optimiser.h"
#include "train/schedule.h"
#include "train/settings.h"

namespace heed {

struct TrainSettings {
  long batch = 8, micro_batch = 0;  // samples in a step; micro_batch 0: all at once
  long steps = 2000;
  double rate = 1e-3;
  double floor = 0.1;               // of the rate at the end of a cosine or a line, as a part of it
  std::string schedule = "cosine";  // train/schedule.h; a single phase warms up by itself, for up to 100 steps
  std::string optimiser = "adamw";
  double beta2 = 0.98;  // of adamw and adam: how much of the squared gradients is remembered
  double weight_decay = 0.1, clip = 1;
  std::string dtype = "f32";  // bf16: products of rounded numbers; weights stay f32
  std::string freeze = {};    // parts of the model that are not trained, by their paths: input,stack.layer_0
  long seed = 1;

  // what is written on the way; it changes no weight
  long checkpoint_every = 0;  // steps; 0: a tenth of the run, at most 1000
  long keep = 2;              // checkpoints, besides the best
};

// Rows for a table of settings. They refer to the members of `s`.
SettingTable training_rows(TrainSettings& s);  // what decides the weights
SettingTable writing_rows(TrainSettings& s);   // what does not

void check_training(const TrainSettings& s);   // throws a sentence for what cannot be together
Schedule schedule_of(const TrainSettings& s);  // of the learning rate and of phases
OptimiserOptions optimiser_options(const TrainSettings& s);

}  // namespace heed
