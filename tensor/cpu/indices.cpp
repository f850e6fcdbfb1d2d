// Indices that were made here, by kernels: a bad one is noted, and the nearest allowed one put in its place.
#include "tensor/ops/indices.h"

#include <algorithm>

namespace heed {
namespace {

// One after the other: which one is noted does not depend on threads.
template <class E>
void bounded_indices_cpu(E* safe, int64_t* fault, const E* index, long n, const kernels::IndexBounds& bounds, long op) {
  for (long i = 0; i < n; i++) {
    const long at = long(index[i]);
    safe[i] = E(std::max(bounds.least, std::min(at, bounds.limit - 1)));
    if (at >= bounds.least && at < bounds.limit) continue;
    if (fault[0] == 0) fault[0] = op, fault[1] = at, fault[2] = i, fault[3] = bounds.least, fault[4] = bounds.limit;
  }
}

const OnCpu bounded{kTypes<int32_t, int64_t>,
                    []<class E>(auto set) { set(kernels::bounded_indices<E>, bounded_indices_cpu<E>); }};

}  // namespace
}  // namespace heed
