// A warm start: a model begins with the weights of another one, parameter by parameter where path and shape fit. What
// does not fit keeps the numbers that were drawn for it: a new head, another attention, more layers.
//
//   const WarmStart start = warm_start(model, find_checkpoint("runs/small").state.weights, "runs/small");
//   std::puts(start.text().c_str());   // 52 of 60 tensors taken from runs/small; new: layer_8..., ...
//
// A table of learned positions (..., positions.weight) that is longer here is filled by repeating the one there: tokens
// far behind begin with what those 512 before have, which a little training makes right (as Longformer does it). And
// projections of global tokens (..., core.global.weight) that are not there begin as copies of the usual ones (...,
// in).
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"
#include "train/safetensors.h"

namespace heed {

struct WarmStart {
  std::string from;
  std::vector<std::string> taken, tiled, copied;  // paths of this model
  std::vector<std::string> fresh;                 // of this model: as they were drawn
  std::vector<std::string> unused;                // of the other
  std::string text() const;                       // some sentences for the user
};

// Throws, and changes nothing, if not one tensor fits. `from` is what was given, for texts.
WarmStart warm_start(Module& model, const std::vector<NamedTensor>& weights, const std::string& from);

}  // namespace heed
