// Layer norm and RMS norm on Variables; see tensor/layer_norm.h. weight and bias may be undefined.
#pragma once

#include "autograd/variable.h"
#include "tensor/layer_norm.h"

namespace heed {

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon = 1e-5);
Variable rms_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon = 1e-6);

}  // namespace heed
