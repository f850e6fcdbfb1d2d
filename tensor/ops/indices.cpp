#include "tensor/ops/indices.h"

#include <atomic>

#include "system/parallel.h"
#include "tensor/copy.h"

namespace heed {
namespace {

// Is every index in [0, limit)? The sign of index | (limit - 1 - index) tells for each of them; their or is vector
// code.
bool all_inside(const int64_t* index, long n, long limit) {
  std::atomic<bool> inside = true;
  parallel_for(n, 65536, [&](long begin, long end) {
    const uint64_t last = uint64_t(limit) - 1;
    uint64_t signs = 0;
    for (long i = begin; i < end; i++) signs |= uint64_t(index[i]) | (last - uint64_t(index[i]));
    if (signs >> 63) inside.store(false, std::memory_order_relaxed);
  });
  return inside;
}

}  // namespace

Tensor checked_indices(const char* op, const Tensor& indices, long limit, Device device, const IndexNames& names) {
  check_defined(op, indices);
  HEED_CHECK(is_integer(indices.dtype()), op, "the ", names.all, " are ", indices.dtype(),
             "; they must be integers (i64, i32 or u8). Cast first: cast(x, i64)");
  HEED_CHECK(indices.device() == device || indices.device() == cpu, op, "x is on ", device, " and the ", names.all,
             " are on ", indices.device(), "; they must be there, too, or on the cpu. Move them with to(x, device)");
  Tensor plain = contiguous(cast(indices, i64));
  Tensor on_host = to(plain, cpu);
  const int64_t* index = on_host.data<int64_t>();
  if (all_inside(index, plain.numel(), limit)) return to(plain, device);
  for (long e = 0; e < plain.numel(); e++)
    HEED_CHECK(index[e] >= 0 && index[e] < limit, op, names.one, " ", index[e], " at ", position_of(e, plain.shape()),
               " of the ", names.all, ", which are ", plain.shape(), ", is out of range; the rule is 0 <= ", names.one,
               " < ", limit);
  return to(plain, device);
}

}  // namespace heed
