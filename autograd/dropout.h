// Dropout on Variables; see tensor/dropout.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/dropout.h"

namespace heed {

Variable dropout(const Variable& x, double p, const RandomKey& key);

}  // namespace heed
