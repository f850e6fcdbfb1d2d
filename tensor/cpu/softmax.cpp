#include "tensor/softmax.h"

#include <cmath>
#include <limits>

#include "tensor/cpu/lane_sum.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

template <class T> void softmax_row(T* y, const T* x, long cols) {
  T top = -std::numeric_limits<T>::infinity();
  for (long j = 0; j < cols; j++) top = x[j] > top ? x[j] : top;
  if (top == -std::numeric_limits<T>::infinity()) top = 0;  // nothing visible: exp(-inf - 0) is 0, not NaN
  const T total = lane_sum<T>(cols, [&](long j) { return y[j] = std::exp(x[j] - top); });
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
      const T dot = lane_sum<T>(cols, [&](long j) { return p[j] * d[j]; });
      for (long j = 0; j < cols; j++) dx[i * cols + j] = p[j] * (d[j] - dot);
    }
  });
}

// Added up in double: long rows are common here, and the total is all that can be wrong.
template <class T> void log_softmax_row(T* y, const T* x, long cols) {
  T top = -std::numeric_limits<T>::infinity();
  for (long j = 0; j < cols; j++) top = x[j] > top ? x[j] : top;
  if (top == -std::numeric_limits<T>::infinity()) top = 0;
  double total = 0;
  for (long j = 0; j < cols; j++) total += double(std::exp(x[j] - top));
  const T rest = total == 0 ? T(0) : T(std::log(total));  // nothing visible: -inf - 0 - 0 stays -inf
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
    for (long i = begin; i < end; i++) {
      const T *d = dy + i * cols, *out = y + i * cols;
      double total = 0;
      bool visible = false;
      for (long j = 0; j < cols; j++) {
        total += double(d[j]);
        visible |= out[j] != -std::numeric_limits<T>::infinity();
      }
      for (long j = 0; j < cols; j++) dx[i * cols + j] = visible ? d[j] - std::exp(out[j]) * T(total) : T(0);
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
