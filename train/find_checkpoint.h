// The checkpoint that a user means by naming a run, or a file: the newest of the run that can be read, or its best.
#pragma once

#include <functional>
#include <string>

#include "train/checkpoint_files.h"

namespace heed {

struct FoundCheckpoint {
  std::string path;
  TrainingState state;
};

struct CheckpointChoice {
  bool best = false;
  Score score = {};                                  // says which is best
  CheckpointPart part = CheckpointPart::model;       // of its tensors
  std::function<void(const std::string&)> say = {};  // takes sentences for the user
};

// A newest one that is damaged is left out with a sentence; a best one, or a file, that is damaged is an error. Throws
// NoRun (train/run_folder.h) if there is none.
FoundCheckpoint find_checkpoint(const std::string& run_or_file, const CheckpointChoice& choice = {});

}  // namespace heed
