// Checkpoints: what a training run needs to go on, in files RUN/checkpoints/step-000120.safetensors.
//
//   CheckpointFiles files("runs/mine");
//   const auto found = files.newest([](const std::string& text) { std::puts(text.c_str()); });
//   if (found) load_model(model, found->weights, files.folder());
//   ...
//   files.save({.step = 120, .settings = settings.dump(), .numbers = {{kValidationBpc, 1.9}},
//               .weights = model_tensors(model), .optimiser = split_flat(arena, optimiser.m(), "m.")});
//
// A run that is killed at any moment, or whose disk is full, finds its last good checkpoint as it was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "system/parallel.h"
#include "train/model_tensors.h"
#include "train/safetensors.h"

namespace heed {

inline constexpr const char* kValidationBpc = "validation_bpc";  // of TrainingState::numbers: the best one is kept

struct TrainingState {
  long step = 0;                               // steps that are done
  std::string settings = {};                   // JSON text; the caller's
  std::map<std::string, double> numbers = {};  // metrics and counters: come back to the same bits
  std::vector<NamedTensor> weights = {};       // by the paths of the parameters
  std::vector<NamedTensor> optimiser = {};     // "m.out.weight": in the file "optimiser.m.out.weight"
};
Safetensors to_safetensors(const TrainingState& state);
TrainingState to_training_state(Safetensors file, const std::string& path);  // throws if it is not a checkpoint
enum class CheckpointPart { all, model };  // model: without the optimiser's tensors, which are two thirds of it
TrainingState read_checkpoint(const std::string& path, CheckpointPart part = CheckpointPart::all);
TrainingState read_checkpoint_summary(const std::string& path);  // without the tensors: cheap

// ---- the folder

struct CheckpointFile {
  long step;
  std::string path;
};

class CheckpointFiles {
 public:
  using Say = FunctionRef<void(const std::string&)>;  // takes a sentence for the user

  // The folder RUN/checkpoints, which need not exist. The last `keep` checkpoints stay (at least 1), and the best.
  explicit CheckpointFiles(const std::string& run, int keep = 2);

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
  std::optional<CheckpointFile> best() const;  // lowest kValidationBpc; nothing if none has it

 private:
  void remove_old(long step) const;

  std::string folder_;
  int keep_;
};

}  // namespace heed
