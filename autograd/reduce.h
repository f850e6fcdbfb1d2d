// Reductions on Variables; see tensor/reduce.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/reduce.h"

namespace heed {

Variable sum(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable mean(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable max(const Variable& x, const Shape& axes = {}, bool keep = false);

}  // namespace heed
