// What the doors that take indices share.
//
// Indices on the host are checked there, at once, and moved to x's device. Those that were made on a device (by topk or
// argmax) are not read back, which would make the host wait: a kernel notes the first one that is out of range, with
// the op, and puts the nearest allowed one in its place. finish(device) tells of it.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// What the user calls them, for the error text.
struct IndexNames {
  const char* one = "index";
  const char* all = "indices";
};
inline constexpr IndexNames kIdNames{"id", "ids"};

// The indices as row-major i64 on x's device. Throws unless they are integers in [0, limit); says which one is not,
// and where. What it returns is not looked at again when it is given to another op.
Tensor checked_indices(const char* op, const Tensor& indices, long limit, Device device, const IndexNames& names = {});

// An i32 index of rows, in which -1 is nobody.
Tensor checked_rows(const char* op, const Tensor& index, long rows, Device device);

// For an op with a gradient: if x is on another device, host indices are checked and moved once for both; check(device)
// says how. On the cpu they stay as they are, and the op checks them.
template <class Check> Tensor moved_once(const Tensor& x, const Tensor& indices, Check&& check) {
  return !x.defined() || x.device() == cpu ? indices : check(x.device());
}

namespace kernels {

struct IndexBounds {
  long least, limit;  // least <= index < limit
};
// On a device, zeros until an index is out of range: then the first one that was found.
struct IndexFault {
  int64_t op;  // its number, above 0
  int64_t index, place, least, limit;
};
// safe, index (n)
template <class E>
inline Kernel<void(E* safe, int64_t* fault, const E* index, long n, const IndexBounds& bounds, long op)>
    bounded_indices{"bounded_indices"};

}  // namespace kernels
}  // namespace heed
