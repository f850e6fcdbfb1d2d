// Concatenate on Variables; see tensor/concatenate.h.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/concatenate.h"

namespace heed {

Variable concatenate(const std::vector<Variable>& parts, int axis);

}  // namespace heed
