// Rotary positions on Variables; see tensor/ops/rotary.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/rotary.h"

namespace heed {

Variable rotary(const Variable& x, long offset = 0, const RotaryOptions& options = {});  // x (..., T, D)

}  // namespace heed
