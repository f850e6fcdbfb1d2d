// Layer norm and RMS norm on Variables; see tensor/ops/layer_norm.h. weight and bias may be undefined.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/layer_norm.h"

namespace heed {

Variable layer_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon = 1e-5);
Variable rms_norm(const Variable& x, const Variable& weight, const Variable& bias, double epsilon = 1e-6);

// sum = x + residual and y = norm(sum), in one pass forwards and one backwards; x and residual have one shape. The
// residual may be undefined: the sum is x then. A block that begins so has, to the bit, the gradients of one whose x
// was summed in the same op.
struct SumAndNorm {
  Variable sum, y;
};
SumAndNorm add_norm(Centre centre, const Variable& x, const Variable& residual, const Variable& weight,
                    const Variable& bias, double epsilon);

}  // namespace heed
