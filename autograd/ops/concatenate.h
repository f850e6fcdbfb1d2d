// Joining and cutting on Variables; see tensor/ops/concatenate.h.
#pragma once

#include <initializer_list>
#include <vector>

#include "autograd/variable.h"
#include "tensor/ops/concatenate.h"

namespace heed {

Variable concatenate(const std::vector<Variable>& parts, int axis);
Variable concatenate(std::initializer_list<Variable> parts, int axis);
Variable stack(const std::vector<Variable>& parts, int axis);
Variable stack(std::initializer_list<Variable> parts, int axis);

// Views of x. Their gradients are joined in one go when all have arrived; a part that was not used counts as zeros.
std::vector<Variable> split(const Variable& x, const std::vector<long>& sizes, int axis);
std::vector<Variable> chunk(const Variable& x, long parts, int axis);

}  // namespace heed
