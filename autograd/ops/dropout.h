// Dropout on Variables; see tensor/ops/dropout.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/dropout.h"

namespace heed {

Variable dropout(const Variable& x, double p, const RandomKey& key);

}  // namespace heed
