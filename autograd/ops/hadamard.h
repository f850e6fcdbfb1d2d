// The Walsh-Hadamard transform on Variables; see tensor/ops/hadamard.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/hadamard.h"

namespace heed {

Variable walsh_hadamard(const Variable& x);

}  // namespace heed
