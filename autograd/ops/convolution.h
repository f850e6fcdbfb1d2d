// Convolution over length on Variables; see tensor/ops/convolution.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/convolution.h"

namespace heed {

// x (B, T, C), weight (out, C / groups, K), bias (out,) or undefined -> (B, T', out)
Variable conv1d(const Variable& x, const Variable& weight, const Variable& bias, const Conv1dOptions& options = {});

}  // namespace heed
