// Sorting along an axis. Equal elements stay in their order (the sort is stable) and NaN comes last, whether the
// smallest or the largest is first. Kernels are there for f32, f64 and i64; i32, u8 and boolean go through i64.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct SortResult {
  Tensor values, indices;  // values[.., r, ..] = x[.., indices[.., r, ..], ..]; the indices are i64
};
SortResult sort(const Tensor& x, int axis = -1, bool descending = false);
Tensor argsort(const Tensor& x, int axis = -1, bool descending = false);  // the indices alone

// The k largest (or smallest) along `axis`, best first; of equal ones the lower index comes first. O(n log k), where
// sort is O(n log n). The gradient of both scatters: dx[.., indices[.., r, ..], ..] = dvalues[.., r, ..], 0 elsewhere
// (gather_backward in gather.h).
SortResult topk(const Tensor& x, long k, int axis = -1, bool largest = true);

// The different values of an integer or boolean tensor of any shape, in rising order, and how often each occurs.
struct UniqueCounts {
  Tensor values, counts;  // (n) of x's type, (n) i64
};
UniqueCounts unique_counts(const Tensor& x);

// For the backends; T is float, double or int64_t.
struct TopkSizes {
  long rows = 0, cols = 0, k = 0;
};
namespace kernels {
// y, indices, x (rows, cols)
template <class E>
inline Kernel<void(E* y, int64_t* indices, const E* x, long rows, long cols, bool descending)> sort_rows{"sort"};
// x (rows, cols); y, indices (rows, k) with k <= cols
template <class E>
inline Kernel<void(E* y, int64_t* indices, const E* x, const TopkSizes& s, bool largest)> topk_rows{"topk"};
}  // namespace kernels

}  // namespace heed
