// TrainingState: what is inside of a checkpoint, which is all that a training run needs to go on. Nothing in it differs
// between two equal runs, so it has neither times nor paths: equal runs write equal files, byte by byte.
//
//   const auto state = read_checkpoint("runs/mine/checkpoints/step-000120.safetensors", CheckpointPart::model);
//   load_model(model, state.weights, "the checkpoint");
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/safetensors.h"

namespace heed {

inline constexpr const char* kCheckpointFormat = "heed checkpoint";  // "format" of its metadata

inline constexpr const char* kValidBpc = "valid_bpc";  // of TrainingState::numbers: the validation of this very step

struct TrainingState {
  long step = 0;                                    // steps that are done
  std::string settings = {};                        // JSON text; the caller's
  std::string data = {};                            // what it has learned, as ByteData::fingerprint() says it
  std::map<std::string, double> numbers = {};       // metrics and counters: come back to the same bits
  std::map<std::string, std::string> strings = {};  // any bytes, by name: a vocabulary, a palette
  std::vector<NamedTensor> weights = {};            // by the paths of the parameters
  std::vector<NamedTensor> optimiser = {};          // "m.out.weight": in the file "optimiser.m.out.weight"
  std::vector<NamedTensor> streams = {};            // train/stream_states.h; "stream.0.1.k" in the file
};

Safetensors to_safetensors(const TrainingState& state);
TrainingState to_training_state(Safetensors file, const std::string& path);  // throws if it is not a checkpoint

// model: without what only training needs, two thirds of it. strings: without any tensors
enum class CheckpointPart { all, model, strings };
TrainingState read_checkpoint(const std::string& path, CheckpointPart part = CheckpointPart::all);
TrainingState read_checkpoint_summary(const std::string& path);  // without the tensors: cheap

}  // namespace heed
