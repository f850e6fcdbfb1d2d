// Softmax on Variables; see tensor/ops/softmax.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/softmax.h"

namespace heed {

Variable softmax(const Variable& x, int axis = -1);
Variable log_softmax(const Variable& x, int axis = -1);

}  // namespace heed
