// What the doors of the optimisers check: their steps run over flat arrays, in place.
#pragma once

#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Throws unless all have the kind and shape of w and are row-major: check_flat("sgd", w, {{"v", &v}, ...}).
void check_flat(const char* op, const Tensor& w, const std::vector<std::pair<const char*, const Tensor*>>& others);

}  // namespace heed
