// StreamStates: what a model remembers of the streams that it is trained on (Task::streams), one StackState for every
// micro-batch. It is part of a training as the weights are: weights of earlier steps have made it and it cannot be made
// again, so it is saved with them, and a step that is only tried must leave it as it was.
#pragma once

#include <string>
#include <vector>

#include "models/objectives/objective.h"
#include "train/safetensors.h"

namespace heed {

class StreamStates {
 public:
  explicit StreamStates(Objective& objective) : objective_(objective) {}

  // The memory of the micro-batch number `part`, of so many rows: empty if they begin anew, or if there was none.
  StackState& of(size_t part, long rows, bool fresh);

  struct Part {  // a micro-batch
    long rows = 0;
    StackState::Saved states = {};
  };
  using Saved = std::vector<Part>;
  Saved saved() const;  // what they are now, to come back to
  void restore(const Saved& saved);

 private:
  Objective& objective_;
  std::vector<StackState> parts_;
};

// For checkpoints: "0.rows" of micro-batch 0, "0.1.length" of its State number 1, "0.1.k": a tensor of that.
std::vector<NamedTensor> to_tensors(const StreamStates::Saved& saved);
// from: the file. device: where the model is
StreamStates::Saved streams_from(const std::vector<NamedTensor>& tensors, const std::string& from, Device device = cpu);

}  // namespace heed
