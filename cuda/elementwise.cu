// The table of elementwise ops on the device: every line of it by one walk.
#include "tensor/ops/elementwise.h"

#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

template <class Op, class E> void unary(E* y, const E* x, const Loop& loop) {
  walk<2>(Op::name, loop, [=] __device__(const long* at) { y[at[0]] = Op::f(x[at[1]]); });
}

// A tensor that the op's gradient does not need may be null (Saves).
template <class Op, class E> void unary_backward(E* dx, const E* dy, const E* x, const E* y, const Loop& loop) {
  walk<4>(Op::name, loop, [=] __device__(const long* at) {
    dx[at[0]] = dy[at[1]] * Op::df(Op::saves == Saves::x ? x[at[2]] : E(0), Op::saves == Saves::y ? y[at[3]] : E(0));
  });
}

template <class Op, class E> void binary(E* y, const E* a, const E* b, const Loop& loop) {
  walk<3>(Op::name, loop, [=] __device__(const long* at) { y[at[0]] = Op::f(a[at[1]], b[at[2]]); });
}

struct SlopeA {
  template <class Op, class E> static __device__ auto of(E a, E b, E y) { return Op::da(a, b, y); }
};
struct SlopeB {
  template <class Op, class E> static __device__ auto of(E a, E b, E y) { return Op::db(a, b, y); }
};
template <class Op, class Slope, class E>
void binary_backward(E* dx, const E* dy, const E* a, const E* b, const E* y, const Loop& loop) {
  constexpr bool needs_a = Op::saves == Saves::ab, needs_b = needs_a || Op::saves == Saves::by,
                 needs_y = Op::saves == Saves::by;
  walk<5>(Op::name, loop, [=] __device__(const long* at) {
    dx[at[0]] = dy[at[1]] * Slope::template of<Op, E>(needs_a ? a[at[2]] : E(0), needs_b ? b[at[3]] : E(0),
                                                      needs_y ? y[at[4]] : E(0));
  });
}

template <class E> void add_into(E* y, const E* x, const Loop& loop) {
  walk<2>("add_into", loop, [=] __device__(const long* at) { y[at[0]] += x[at[1]]; });
}

#define HEED_UNARY_ROW(name, saves, f, df)                          \
  set(kernels::unary<ops::name##_op, E>, unary<ops::name##_op, E>); \
  set(kernels::unary_backward<ops::name##_op, E>, unary_backward<ops::name##_op, E>);
#define HEED_BINARY_ROW(name, saves, f, da, db)                                                   \
  set(kernels::binary<ops::name##_op, E>, binary<ops::name##_op, E>);                             \
  set(kernels::binary_backward_a<ops::name##_op, E>, binary_backward<ops::name##_op, SlopeA, E>); \
  set(kernels::binary_backward_b<ops::name##_op, E>, binary_backward<ops::name##_op, SlopeB, E>);
const OnCuda elementwise{[]<class E>(auto set) {
  HEED_UNARY_TABLE(HEED_UNARY_ROW)
  HEED_BINARY_TABLE(HEED_BINARY_ROW)
  set(kernels::add_into<E>, add_into<E>);
}};

}  // namespace
}  // namespace heed::cuda
