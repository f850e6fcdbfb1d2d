// Rotary positions on Variables; see tensor/rotary.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/rotary.h"

namespace heed {

Variable rotary(const Variable& x, long offset = 0, const RotaryOptions& options = {});  // x (..., T, D)

}  // namespace heed
