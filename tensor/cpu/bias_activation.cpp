// y = f(x + bias) and its gradient in one pass: z = x + bias is computed again backwards instead of being kept. dbias
// is added up per block of rows (row_blocks.h).
#include "tensor/ops/bias_activation.h"

#include "tensor/cpu/row_blocks.h"
#include "tensor/cpu/simd.h"
#include "tensor/ops/activation_formulas.h"

namespace heed {
namespace {

// A number type for the formulas: vectors for float, where they are written for them, plain numbers for double.
template <class E, class F> [[gnu::always_inline]] inline void for_row(long C, F&& f) {
  if constexpr (std::is_same_v<E, float>) {
    for_vectors<float>(C, [&](long c, auto n) {
      f([=](const float* p) { return Vec<float>::load(p + c, n); }, [=](float* p, Vec<float> v) { v.store(p + c, n); });
    });
  } else {
    for (long c = 0; c < C; c++) f([=](const E* p) { return p[c]; }, [=](E* p, E v) { p[c] = v; });
  }
}

// y, x (rows, C), bias (C)
template <class Op, class E> void forward(E* y, const E* x, const E* bias, long rows, long C) {
  parallel_for(rows, rows_grain(C), [&](long begin, long end) {
    for (long i = begin; i < end; i++)
      for_row<E>(C, [&](auto load, auto store) { store(y + i * C, Op::f(load(x + i * C) + load(bias))); });
  });
}

// dx = dy f'(x + bias) for one row; sum (C) += dx where it is not null
template <class Op, class E> void backward_row(E* dx, E* sum, const E* dy, const E* x, const E* bias, long C) {
  for_row<E>(C, [&](auto load, auto store) {
    const auto z = load(x) + load(bias);
    const auto g = load(dy) * Op::df(z, Op::f(z));
    store(dx, g);
    if (sum) store(sum, load(sum) + g);
  });
}

// workspace (blocks, C): dbias of every block of rows
template <class Op, class E> void backward(const BiasActivationBackward<E>& s, void* workspace) {
  const long C = s.C, blocks = row_blocks(s.rows, C);
  E* partial = static_cast<E*>(workspace);
  parallel_for(s.rows, row_block(C), [&](long begin, long end) {
    E* sum = s.dbias ? partial + begin / row_block(C) * C : nullptr;
    if (sum) std::fill_n(sum, C, E(0));
    for (long i = begin; i < end; i++) backward_row<Op>(s.dx + i * C, sum, s.dy + i * C, s.x + i * C, s.bias, C);
  });
  if (s.dbias) add_blocks(s.dbias, partial, blocks, C, C);
}

template <class E> void bias_activation_cpu(E* y, const E* x, const E* bias, long rows, long C, Activation f) {
  visit_activation(f, [&](auto op) { forward<decltype(op)>(y, x, bias, rows, C); });
}

template <class E> void bias_activation_backward_cpu(const BiasActivationBackward<E>& s, void* workspace) {
  visit_activation(s.f, [&](auto op) { backward<decltype(op)>(s, workspace); });
}

template <class E> long workspace_cpu(long rows, long C) { return row_blocks(rows, C) * C * long(sizeof(E)); }

const OnCpu bias_activation{[]<class E>(auto set) {
  set(kernels::bias_activation<E>, bias_activation_cpu<E>);
  set(kernels::bias_activation_backward<E>, bias_activation_backward_cpu<E>);
  set(kernels::bias_activation_workspace_bytes<E>, workspace_cpu<E>);
}};

}  // namespace
}  // namespace heed
