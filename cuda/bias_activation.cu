// y = f(x + bias), a block per row. Backward goes by columns (column_sums.cuh): what it adds up for dbias is dx, which
// it writes on the way.
#include "tensor/ops/bias_activation.h"

#include "cuda/column_sums.cuh"
#include "tensor/ops/activation_formulas.h"

namespace heed::cuda {
namespace {

// y, x (rows, C), bias (C)
template <class Op, class E> struct Forward {
  E* y;
  const E *x, *bias;
  long C;
  __device__ void operator()(long i) const {
    for (long c = threadIdx.x; c < C; c += blockDim.x) y[i * C + c] = Op::f(x[i * C + c] + bias[c]);
  }
};

// dx = dy f'(x + bias)
template <class Op, class E> struct Backward {
  E* dx;
  const E *dy, *x, *bias;
  long C;
  __device__ E operator()(long i, long c) const {
    const E z = x[i * C + c] + bias[c], d = dy[i * C + c] * Op::df(z, Op::f(z));
    dx[i * C + c] = d;
    return d;
  }
};

template <class E> void bias_activation(E* y, const E* x, const E* bias, long rows, long C, Activation f) {
  visit_activation(f, [&](auto op) {
    for_rows("bias_activation", rows, threads_for(C), Forward<decltype(op), E>{y, x, bias, C});
  });
}

template <class E> void bias_activation_backward(const BiasActivationBackward<E>& s, void* workspace) {
  visit_activation(s.f, [&](auto op) {
    sum_columns<E>("bias_activation", Columns(1, s.rows, s.C), Backward<decltype(op), E>{s.dx, s.dy, s.x, s.bias, s.C},
                   Store<E>{s.dbias}, s.dbias ? workspace : nullptr);
  });
}

template <class E> long workspace(long rows, long C) { return Columns(1, rows, C).partials() * long(sizeof(E)); }

const OnCuda bias_activations{[]<class E>(auto set) {
  set(kernels::bias_activation<E>, bias_activation<E>);
  set(kernels::bias_activation_backward<E>, bias_activation_backward<E>);
  set(kernels::bias_activation_workspace_bytes<E>, workspace<E>);
}};

}  // namespace
}  // namespace heed::cuda
