// Softmax and its logarithm, row by row: the maximum, the exponentials with their sum, then the division. Backward
// needs y alone: one sum over the row, then dx. Sums are made in vectors, in a fixed order (simd.h).
#include "tensor/ops/softmax.h"

#include <cmath>
#include <limits>

#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class E> constexpr E kNothing = -std::numeric_limits<E>::infinity();

// The row's maximum; 0 if nothing is visible: exp(-inf - 0) is 0, not NaN
template <class E> E top_of(const E* x, long cols) {
  const E top = max_vectors(x, cols);
  return top == kNothing<E> ? E(0) : top;
}

// y, x (cols)
template <class E> void softmax_row(E* y, const E* x, long cols) {
  const E top = top_of(x, cols);
  const E total = sum_vectors<E>(cols, [&](long i, auto n) {
    const Vec<E> e = maths::exp_negative(Vec<E>::load(x + i, n, kNothing<E>) - top);
    e.store(y + i, n);
    return e;
  });
  const E scale = total == 0 ? E(0) : 1 / total;
  for (long j = 0; j < cols; j++) y[j] *= scale;
}

// y = exp(x - max x) / sum(exp(x - max x)): y, x (rows, cols)
template <class E> void softmax_rows_cpu(E* y, const E* x, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) softmax_row(y + i * cols, x + i * cols, cols);
  });
}

// dx = y * (dy - sum(y * dy)): dx, dy, y (rows, cols)
template <class E> void softmax_rows_backward_cpu(E* dx, const E* dy, const E* y, long rows, long cols) {
  parallel_for(rows, rows_grain(cols), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const E *d = dy + i * cols, *p = y + i * cols;
      const E dot =
          sum_vectors<E>(cols, [&](long j, auto n) { return Vec<E>::load(p + j, n) * Vec<E>::load(d + j, n); });
      for (long j = 0; j < cols; j++) dx[i * cols + j] = p[j] * (d[j] - dot);
    }
  });
}

// y, x (cols)
template <class E> void log_softmax_row(E* y, const E* x, long cols) {
  const E top = top_of(x, cols);
  const E total = sum_vectors<E>(
      cols, [&](long i, auto n) { return maths::exp_negative(Vec<E>::load(x + i, n, kNothing<E>) - top); });
  const E rest = total == 0 ? E(0) : std::log(total);  // nothing visible: -inf - 0 - 0 stays -inf
  for (long j = 0; j < cols; j++) y[j] = x[j] - top - rest;
}

// y = x - max x - log(sum(exp(x - max x))): y, x (rows, cols)
template <class E> void log_softmax_rows_cpu(E* y, const E* x, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) log_softmax_row(y + i * cols, x + i * cols, cols);
  });
}

// dx = dy - exp(y) * sum(dy), and 0 in a row that sees nothing: dx, dy, y (rows, cols)
template <class E> void log_softmax_rows_backward_cpu(E* dx, const E* dy, const E* y, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end && cols > 0; i++) {
      const E *d = dy + i * cols, *out = y + i * cols;
      const E total = sum_vectors<E>(cols, [&](long j, auto n) { return Vec<E>::load(d + j, n); });
      const bool visible = out[0] != kNothing<E> || max_vectors(out, cols) != kNothing<E>;  // NaN is seen
      for_vectors<E>(cols, [&](long j, auto n) {
        const Vec<E> g = Vec<E>::load(d + j, n) - maths::exp(Vec<E>::load(out + j, n)) * total;
        (visible ? g : Vec<E>(E(0))).store(dx + i * cols + j, n);
      });
    }
  });
}

const OnCpu softmax{[]<class E>(auto set) {
  set(kernels::softmax_rows<E>, softmax_rows_cpu<E>);
  set(kernels::softmax_rows_backward<E>, softmax_rows_backward_cpu<E>);
  set(kernels::log_softmax_rows<E>, log_softmax_rows_cpu<E>);
  set(kernels::log_softmax_rows_backward<E>, log_softmax_rows_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
