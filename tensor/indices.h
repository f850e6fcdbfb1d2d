// What the doors that take indices share.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// The indices as row-major i64 on x's device. Throws unless they are integers in [0, limit); says which one is not,
// and where.
Tensor checked_indices(const char* op, const Tensor& indices, long limit, Device device);

}  // namespace heed
