// The Walsh-Hadamard transform on Variables; see tensor/hadamard.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/hadamard.h"

namespace heed {

Variable walsh_hadamard(const Variable& x);

}  // namespace heed
