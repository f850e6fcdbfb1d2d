// The checkpoints of a run, in files RUN/checkpoints/step-000120.safetensors. What is inside of one is in
// checkpoint_state.h.
//
//   CheckpointFiles files("runs/mine");
//   const auto found = files.newest([](const std::string& text) { std::puts(text.c_str()); });
//   if (found) load_model(model, found->weights, files.folder());
//   ...
//   files.save({.step = 120, .settings = settings.dump(), .numbers = {{kValidBpc, 1.9}},
//               .weights = model_tensors(model), .optimiser = split_flat(arena, optimiser.m(), "m.")});
//
// A run that is killed at any moment, or whose disk is full, finds its last good checkpoint as it was. Who reads beside
// a run that trains gets one that is there: if the list changes under its hands, it looks again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/function_ref.h"
#include "train/checkpoint_state.h"
#include "train/score.h"

namespace heed {

struct CheckpointFile {
  long step;
  std::string path;
};

class CheckpointFiles {
 public:
  using Say = FunctionRef<void(const std::string&)>;  // takes a sentence for the user

  // The folder RUN/checkpoints, which need not exist. The last `keep` checkpoints stay (at least 1), and the best.
  // The score says which is best.
  explicit CheckpointFiles(const std::string& run, int keep = 2, const Score& score = {});

  const std::string& folder() const { return folder_; }
  std::string path(long step) const;
  std::vector<CheckpointFile> list() const;  // by step; what has another name is not among them

  // Throws what save would if it cannot write there, and removes the temporary files that runs which were killed left
  // in RUN, RUN/samples and here: to be called before the training starts.
  void prepare() const;

  // Writes the checkpoint. Only when it is safely on the disk, older ones are removed: those that are neither among
  // the last `keep` nor the best. Returns its path.
  std::string save(const TrainingState& state) const;

  // The newest one that can be read; nothing if there is none. One that is cut off or damaged is skipped with a
  // sentence. Throws if there are some and none can be read: starting anew would be a surprise.
  std::optional<TrainingState> newest(Say say, CheckpointPart part = CheckpointPart::all) const;
  std::optional<CheckpointFile> best() const;  // by the validation of its step; nothing if none has one
  std::optional<TrainingState> read_best(CheckpointPart part = CheckpointPart::all) const;  // throws if it is damaged

 private:
  void remove_old(long step) const;
  bool changed_since(const std::vector<CheckpointFile>& files) const;

  std::string folder_;
  int keep_;
  Score score_;
};

}  // namespace heed
