#include "tensor/ops/softmax.h"

#include <cmath>
#include <limits>

#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class T> constexpr T kNothing = -std::numeric_limits<T>::infinity();

// The row's maximum; 0 if nothing is visible: exp(-inf - 0) is 0, not NaN
template <class T> T top_of(const T* x, long cols) {
  const T top = max_vectors(x, cols);
  return top == kNothing<T> ? T(0) : top;
}

template <class T> void softmax_row(T* y, const T* x, long cols) {
  const T top = top_of(x, cols);
  const T total = sum_vectors<T>(cols, [&](long i, auto n) {
    const Vec<T> e = maths::exp_negative(Vec<T>::load(x + i, n, kNothing<T>) - top);
    e.store(y + i, n);
    return e;
  });
  const T scale = total == 0 ? T(0) : 1 / total;
  for (long j = 0; j < cols; j++) y[j] *= scale;
}

// y, x (rows, cols)
template <class T> void softmax_rows_cpu(T* y, const T* x, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) softmax_row(y + i * cols, x + i * cols, cols);
  });
}

// dx, dy, y (rows, cols)
template <class T> void softmax_rows_backward_cpu(T* dx, const T* dy, const T* y, long rows, long cols) {
  parallel_for(rows, rows_grain(cols), [&](long begin, long end) {
    for (long i = begin; i < end; i++) {
      const T *d = dy + i * cols, *p = y + i * cols;
      const T dot =
          sum_vectors<T>(cols, [&](long j, auto n) { return Vec<T>::load(p + j, n) * Vec<T>::load(d + j, n); });
      for (long j = 0; j < cols; j++) dx[i * cols + j] = p[j] * (d[j] - dot);
    }
  });
}

template <class T> void log_softmax_row(T* y, const T* x, long cols) {
  const T top = top_of(x, cols);
  const T total = sum_vectors<T>(
      cols, [&](long i, auto n) { return maths::exp_negative(Vec<T>::load(x + i, n, kNothing<T>) - top); });
  const T rest = total == 0 ? T(0) : std::log(total);  // nothing visible: -inf - 0 - 0 stays -inf
  for (long j = 0; j < cols; j++) y[j] = x[j] - top - rest;
}

// y, x (rows, cols)
template <class T> void log_softmax_rows_cpu(T* y, const T* x, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end; i++) log_softmax_row(y + i * cols, x + i * cols, cols);
  });
}

// dx, dy, y (rows, cols)
template <class T> void log_softmax_rows_backward_cpu(T* dx, const T* dy, const T* y, long rows, long cols) {
  parallel_for(rows, rows_grain(cols, 4), [&](long begin, long end) {
    for (long i = begin; i < end && cols > 0; i++) {
      const T *d = dy + i * cols, *out = y + i * cols;
      const T total = sum_vectors<T>(cols, [&](long j, auto n) { return Vec<T>::load(d + j, n); });
      const bool visible = out[0] != kNothing<T> || max_vectors(out, cols) != kNothing<T>;  // NaN is seen
      for_vectors<T>(cols, [&](long j, auto n) {
        const Vec<T> g = Vec<T>::load(d + j, n) - maths::exp(Vec<T>::load(out + j, n)) * total;
        (visible ? g : Vec<T>(T(0))).store(dx + i * cols + j, n);
      });
    }
  });
}

template <class T> void register_all() {
  kernels::softmax_rows<T>.set(Backend::cpu, softmax_rows_cpu<T>);
  kernels::softmax_rows_backward<T>.set(Backend::cpu, softmax_rows_backward_cpu<T>);
  kernels::log_softmax_rows<T>.set(Backend::cpu, log_softmax_rows_cpu<T>);
  kernels::log_softmax_rows_backward<T>.set(Backend::cpu, log_softmax_rows_backward_cpu<T>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
