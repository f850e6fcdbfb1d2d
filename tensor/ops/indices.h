// What the doors that take indices share.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// What the user calls them, for the error text.
struct IndexNames {
  const char* one = "index";
  const char* all = "indices";
};

// The indices as row-major i64 on x's device. Throws unless they are integers in [0, limit); says which one is not,
// and where.
Tensor checked_indices(const char* op, const Tensor& indices, long limit, Device device, const IndexNames& names = {});

}  // namespace heed
