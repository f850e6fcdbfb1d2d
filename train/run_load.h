// The checkpoint of a run to work with: its newest or its best, or a file of one; without what only training needs.
#pragma once

#include <functional>
#include <string>

#include "train/checkpoint_state.h"
#include "train/score.h"

namespace heed {

struct FoundCheckpoint {
  std::string path;
  TrainingState state;  // without the optimiser
  std::string data;     // where its data lies, as the run's config says; empty if the file has left its run
};

struct CheckpointChoice {
  bool best = false;  // the one with the best validation, in place of the newest
  Score score = {};
  std::function<void(const std::string&)> say = {};  // takes sentences for the user
};

// A newest one that is damaged is left out with a sentence; a best one, or a file, that is damaged is an error. Throws
// NoRun (run_folder.h) if there is none.
FoundCheckpoint find_checkpoint(const std::string& run_or_file, const CheckpointChoice& choice = {});

// Throws if the data of a run is gone from where it was, and says how to point to it. A name that is no path from the
// root on is left to whoever opens it.
void check_data(const std::string& data, const std::string& run);

}  // namespace heed
