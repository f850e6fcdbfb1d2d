// Copies: contiguous, cast, to another device, and the few doors that write into an existing tensor.
#pragma once

#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tensor/tensor.h"

namespace heed {

Tensor contiguous(const Tensor& x);          // x itself when it is row-major already
Tensor contiguous_or_none(const Tensor& x);  // undefined stays undefined
Tensor with_dense_rows(const Tensor& x);     // x itself when the elements of its last axis lie side by side
Tensor clone(const Tensor& x);               // always a copy, row-major
Tensor cast(const Tensor& x, DType dtype);   // x itself when it has this type; to boolean: x != 0
Tensor to(const Tensor& x, Device device);   // x itself when it is there already

void fill(const Tensor& x, double value);              // x[...] = value, also through a strided view
void copy_into(const Tensor& to, const Tensor& from);  // to[...] = from, broadcast and cast as needed

// For doors that write in place.
void check_writable(const char* op, const Tensor& x);  // throws for an expanded view: its places are shared
Tensor apart(const Tensor& x, const Tensor& target);   // x, or a clone of it where writing to target would change it

// For the backends.
namespace kernels {
using StridedCopy = Kernel<void(void* to, DType to_type, const void* from, DType from_type, const Loop& loop)>;
inline StridedCopy strided_copy{"copy"};
inline Kernel<void(void* x, DType dtype, double value, const Loop& loop)> strided_fill{"fill"};
}  // namespace kernels

}  // namespace heed
