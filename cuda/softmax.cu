// Softmax and log-softmax of rows: a block per row, which it reads three times.
#include "tensor/ops/softmax.h"

#include "cuda/reduce.cuh"
#include "cuda/walk.cuh"
#include "tensor/maths.h"

namespace heed::cuda {
namespace {

// The largest element, or 0 where nothing is visible: a row of -inf has weights 0, not NaN.
template <class E> __device__ E top_of(const E* x, long cols) {
  E top = kNothing<E>;
  for (long j = threadIdx.x; j < cols; j += blockDim.x) top = Most()(x[j], top);
  top = over_block(top, kNothing<E>, Most());
  return top == kNothing<E> ? E(0) : top;
}

template <class E> struct Softmax {
  E* y;
  const E* x;
  long cols;

  __device__ void operator()(long row) const {
    const E* in = x + row * cols;
    E* out = y + row * cols;
    const E top = top_of(in, cols);
    E total = 0;
    for (long j = threadIdx.x; j < cols; j += blockDim.x) total += out[j] = maths::exp_negative(in[j] - top);
    total = sum_over_block(total);
    const E scale = total == 0 ? E(0) : 1 / total;
    for (long j = threadIdx.x; j < cols; j += blockDim.x) out[j] *= scale;
  }
};

// dx = y * (dy - sum(y * dy))
template <class E> struct SoftmaxBackward {
  E* dx;
  const E *dy, *y;
  long cols;

  __device__ void operator()(long row) const {
    const E *d = dy + row * cols, *p = y + row * cols;
    E dot = 0;
    for (long j = threadIdx.x; j < cols; j += blockDim.x) dot += p[j] * d[j];
    dot = sum_over_block(dot);
    for (long j = threadIdx.x; j < cols; j += blockDim.x) dx[row * cols + j] = p[j] * (d[j] - dot);
  }
};

template <class E> struct LogSoftmax {
  E* y;
  const E* x;
  long cols;

  __device__ void operator()(long row) const {
    const E* in = x + row * cols;
    const E top = top_of(in, cols);
    E total = 0;
    for (long j = threadIdx.x; j < cols; j += blockDim.x) total += maths::exp_negative(in[j] - top);
    total = sum_over_block(total);
    const E rest = total == 0 ? E(0) : std::log(total);  // nothing visible: -inf - 0 - 0 stays -inf
    for (long j = threadIdx.x; j < cols; j += blockDim.x) y[row * cols + j] = in[j] - top - rest;
  }
};

// dx = dy - exp(y) * sum(dy), and 0 in a row that sees nothing
template <class E> struct LogSoftmaxBackward {
  E* dx;
  const E *dy, *y;
  long cols;

  __device__ void operator()(long row) const {
    const E *d = dy + row * cols, *out = y + row * cols;
    E total = 0, top = kNothing<E>;
    for (long j = threadIdx.x; j < cols; j += blockDim.x) total += d[j], top = Most()(out[j], top);
    total = sum_over_block(total);
    const bool visible = over_block(top, kNothing<E>, Most()) != kNothing<E>;
    for (long j = threadIdx.x; j < cols; j += blockDim.x)
      dx[row * cols + j] = visible ? d[j] - maths::exp(out[j]) * total : E(0);
  }
};

template <class E> void softmax_rows(E* y, const E* x, long rows, long cols) {
  for_rows("softmax", rows, threads_for(cols), Softmax<E>{y, x, cols});
}
template <class E> void softmax_rows_backward(E* dx, const E* dy, const E* y, long rows, long cols) {
  for_rows("softmax", rows, threads_for(cols), SoftmaxBackward<E>{dx, dy, y, cols});
}
template <class E> void log_softmax_rows(E* y, const E* x, long rows, long cols) {
  for_rows("log_softmax", rows, threads_for(cols), LogSoftmax<E>{y, x, cols});
}
template <class E> void log_softmax_rows_backward(E* dx, const E* dy, const E* y, long rows, long cols) {
  for_rows("log_softmax", rows, threads_for(cols), LogSoftmaxBackward<E>{dx, dy, y, cols});
}

const OnCuda softmax{[]<class E>(auto set) {
  set(kernels::softmax_rows<E>, softmax_rows<E>);
  set(kernels::softmax_rows_backward<E>, softmax_rows_backward<E>);
  set(kernels::log_softmax_rows<E>, log_softmax_rows<E>);
  set(kernels::log_softmax_rows_backward<E>, log_softmax_rows_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
