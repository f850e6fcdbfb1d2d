// Choosing between two tensors, and clamping, element by element over operands that broadcast.
#include "tensor/ops/where.h"

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// y[i] = condition[i] ? a[i] : b[i] along one axis (n), each with its step. With constant steps of 1 and 0 the
// compiler makes vector code.
template <class E> void choose(E* y, const bool* condition, const E* a, const E* b, long n, const long* step) {
  if (step[0] == 1 && step[1] == 1 && step[2] == 1) {
    for (long i = 0; i < n; i++) y[i] = condition[i] ? a[i] : b[i];
  } else if (step[0] == 1 && step[1] == 0 && step[2] == 1) {
    for (long i = 0; i < n; i++) y[i] = condition[i] ? *a : b[i];
  } else if (step[0] == 1 && step[1] == 1 && step[2] == 0) {
    for (long i = 0; i < n; i++) y[i] = condition[i] ? a[i] : *b;
  } else {
    for (long i = 0; i < n; i++) y[i] = condition[i * step[0]] ? a[i * step[1]] : b[i * step[2]];
  }
}

// y, condition, a, b: operands of the loop; y is dense
void where_cpu(void* y, const bool* condition, const void* a, const void* b, DType dtype, const Loop& loop) {
  const long step[] = {loop.strides[1].back(), loop.strides[2].back(), loop.strides[3].back()};
  visit(dtype, [&](auto tag) {
    using E = decltype(tag);
    walk<4>(loop, [&](long n, const std::array<long, 4>& at) {
      choose(static_cast<E*>(y) + at[0], condition + at[1], static_cast<const E*>(a) + at[2],
             static_cast<const E*>(b) + at[3], n, step);
    });
  });
}

// y = min(max(x, low), high): operands of the loop; y is dense
template <class E> void clamp_cpu(E* y, const E* x, E low, E high, const Loop& loop) {
  const long step = loop.strides[1].back();
  walk<2>(loop, [&](long n, const std::array<long, 2>& at) {
    E* out = y + at[0];
    const E* in = x + at[1];
    for (long i = 0; i < n; i++) {
      const E value = in[i * step];
      out[i] = value < low ? low : value > high ? high : value;  // NaN is neither
    }
  });
}

// dx = dy where low <= x <= high, else 0: operands of the loop; dx is dense
template <class E> void clamp_backward_cpu(E* dx, const E* dy, const E* x, E low, E high, const Loop& loop) {
  const long sd = loop.strides[1].back(), sx = loop.strides[2].back();
  walk<3>(loop, [&](long n, const std::array<long, 3>& at) {
    E* out = dx + at[0];
    const E *d = dy + at[1], *in = x + at[2];
    for (long i = 0; i < n; i++) out[i] = in[i * sx] >= low && in[i * sx] <= high ? d[i * sd] : E(0);
  });
}

const OnCpu where{[](auto set) { set(kernels::where, where_cpu); }};
const OnCpu clamp{[]<class E>(auto set) {
  set(kernels::clamp<E>, clamp_cpu<E>);
  set(kernels::clamp_backward<E>, clamp_backward_cpu<E>);
}};

}  // namespace
}  // namespace heed
