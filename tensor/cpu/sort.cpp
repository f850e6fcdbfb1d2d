// Sorting rows. Nothing is allocated: the row's index numbers are sorted in place in the output.
#include "tensor/ops/sort.h"

#include <algorithm>
#include <numeric>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// Does element i of a row come before element j? NaN comes after every number, and the index decides between equals,
// so no two elements tie: any correct sort gives the one stable order.
template <class E, bool descending> struct Before {
  const E* x;
  bool operator()(int64_t i, int64_t j) const {
    E a = x[i], b = x[j];
    if (descending ? a > b : a < b) return true;
    if (a == b) return i < j;
    bool a_is_nan = a != a, b_is_nan = b != b;
    if (a_is_nan || b_is_nan) return a_is_nan && b_is_nan ? i < j : b_is_nan;
    return false;
  }
};

// y, indices, x (n)
template <class E, class Order> void sort_row(E* y, int64_t* indices, const E* x, long n, Order before) {
  std::iota(indices, indices + n, 0);
  std::sort(indices, indices + n, before);
  for (long i = 0; i < n; i++) y[i] = x[indices[i]];
}

// x (n); y, indices (k), k > 0. The best k so far are a heap with the worst of them on top.
template <class E, class Order> void topk_row(E* y, int64_t* indices, const E* x, long n, long k, Order before) {
  int64_t* end = indices + k;
  std::iota(indices, end, 0);
  std::make_heap(indices, end, before);
  for (long i = k; i < n; i++) {
    if (!before(i, indices[0])) continue;
    std::pop_heap(indices, end, before);
    end[-1] = i;
    std::push_heap(indices, end, before);
  }
  std::sort_heap(indices, end, before);
  for (long i = 0; i < k; i++) y[i] = x[indices[i]];
}

// Calls f(row, order) for all rows; the larger come first or the smaller.
template <class E, class F> void for_rows(const E* x, long rows, long cols, bool descending, F&& f) {
  parallel_for(rows, rows_grain(cols, 16), [&](long begin, long end) {
    for (long r = begin; r < end; r++) {
      if (descending)
        f(r, Before<E, true>{x + r * cols});
      else
        f(r, Before<E, false>{x + r * cols});
    }
  });
}

// y, indices, x (rows, cols)
template <class E> void sort_rows_cpu(E* y, int64_t* indices, const E* x, long rows, long cols, bool descending) {
  for_rows(x, rows, cols, descending,
           [&](long r, auto before) { sort_row(y + r * cols, indices + r * cols, x + r * cols, cols, before); });
}

// x (rows, cols); y, indices (rows, k)
template <class E> void topk_rows_cpu(E* y, int64_t* indices, const E* x, const TopkSizes& s, bool largest) {
  if (s.k == 0) return;
  for_rows(x, s.rows, s.cols, largest,
           [&](long r, auto before) { topk_row(y + r * s.k, indices + r * s.k, x + r * s.cols, s.cols, s.k, before); });
}

const OnCpu sort{kTypes<float, double, int64_t>, []<class E>(auto set) {
                   set(kernels::sort_rows<E>, sort_rows_cpu<E>);
                   set(kernels::topk_rows<E>, topk_rows_cpu<E>);
                 }};

}  // namespace
}  // namespace heed
