// A mixer as a layer to measure: forward alone, and forward and backward.
#pragma once

#include <memory>

#include "bench/harness.h"
#include "nn/mixing/mixer.h"

namespace heed::bench {

// The actions own the mixer and what they need.
struct LayerWork {
  Action forward;  // without a gradient
  Action both;     // forward and backward, with gradients of x and of all parameters that are new
};
LayerWork layer_work(const std::shared_ptr<Mixer>& mixer, const Tensor& x, bool causal);  // x (B, n, C)

}  // namespace heed::bench
