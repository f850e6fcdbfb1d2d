// Triangular matrices on Variables; see tensor/ops/triangular.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/triangular.h"

namespace heed {

Variable tril(const Variable& x, long diagonal = 0);
Variable triu(const Variable& x, long diagonal = 0);

}  // namespace heed
