// f(x + bias) on Variables; see tensor/ops/bias_activation.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/bias_activation.h"

namespace heed {

Variable bias_activation(const Variable& x, const Variable& bias, Activation f);  // x (..., C), bias (C,)

}  // namespace heed
