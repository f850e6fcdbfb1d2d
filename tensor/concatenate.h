// Concatenate: tensors one after the other along an axis.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// All have the same sizes except along `axis`. The gradient of each part is a slice of dy.
Tensor concatenate(const std::vector<Tensor>& parts, int axis);

}  // namespace heed
