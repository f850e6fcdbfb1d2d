// Loop: one elementwise walk over up to five tensors that broadcast together. Axes of size 1 are dropped and
// neighbours that lie one after the other in every tensor are merged, so that most walks have a single axis.
#pragma once

#include <initializer_list>

#include "tensor/tensor.h"

namespace heed {

struct Loop {
  static constexpr int kMaxOperands = 5;
  int operands = 0;
  Shape sizes;                    // at least one axis
  Strides strides[kMaxOperands];  // per operand, in elements; 0 where it is broadcast
  long numel = 0;
};

// All tensors are walked with the given shape, to which each of them must broadcast.
Loop make_loop(const Shape& shape, std::initializer_list<const Tensor*> operands);

}  // namespace heed
