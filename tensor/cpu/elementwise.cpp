// Kernels of the elementwise table: one loop per shape of memory access, so that the compiler can vectorise the
// common ones.
#include "tensor/ops/elementwise.h"

#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using V = Vec<float>;

// y[i] = Op::f(x[i]). Formulas that work on a Vec get one; the others are simple enough for the compiler.
template <class Op, class E> void unary_run(E* y, const E* x, long n) {
  if constexpr (std::is_same_v<E, float> && requires(V v) { Op::f(v); }) {
    long i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) Op::f(V::load(x + i)).store(y + i);
    if (i < n) Op::f(V::load(x + i, n - i)).store(y + i, n - i);
  } else {
    for (long i = 0; i < n; i++) y[i] = Op::f(x[i]);
  }
}

// dx[i] = dy[i] * Op::df(x[i], y[i])
template <class Op, class E> void unary_backward_run(E* dx, const E* dy, const E* x, const E* y, long n) {
  if constexpr (std::is_same_v<E, float> && requires(V v) { Op::df(v, v); }) {
    long i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) (V::load(dy + i) * Op::df(V::load(x + i), V::load(y + i))).store(dx + i);
    if (const long rest = n - i; rest > 0)
      (V::load(dy + i, rest) * Op::df(V::load(x + i, rest), V::load(y + i, rest))).store(dx + i, rest);
  } else {
    for (long i = 0; i < n; i++) dx[i] = dy[i] * Op::df(x[i], y[i]);
  }
}

// y = Op::f(x), operands of the loop; y is dense
template <class Op, class E> void unary_cpu(E* y, const E* x, const Loop& loop) {
  const long step = loop.strides[1].back();
  walk<2>(loop, [&](long n, const std::array<long, 2>& at) {
    E* out = y + at[0];
    const E* in = x + at[1];
    if (step == 1) {
      unary_run<Op>(out, in, n);
    } else {
      for (long i = 0; i < n; i++) out[i] = Op::f(in[i * step]);
    }
  });
}

// dx = dy * Op::df(x, y), operands of the loop; dx is dense
template <class Op, class E> void unary_backward_cpu(E* dx, const E* dy, const E* x, const E* y, const Loop& loop) {
  const long sd = loop.strides[1].back(), sx = loop.strides[2].back(), sy = loop.strides[3].back();
  walk<4>(loop, [&](long n, const std::array<long, 4>& at) {
    E* out = dx + at[0];
    const E *d = dy + at[1], *px = x + at[2], *py = y + at[3];
    if (sd == 1 && sx == 1 && sy == 1) {
      unary_backward_run<Op>(out, d, px, py, n);
    } else {
      for (long i = 0; i < n; i++) out[i] = d[i * sd] * Op::df(px[i * sx], py[i * sy]);
    }
  });
}

// y = Op::f(a, b), operands of the loop; y is dense
template <class Op, class E> void binary_cpu(E* y, const E* a, const E* b, const Loop& loop) {
  const long sa = loop.strides[1].back(), sb = loop.strides[2].back();
  walk<3>(loop, [&](long n, const std::array<long, 3>& at) {
    E* out = y + at[0];
    const E *pa = a + at[1], *pb = b + at[2];
    if (sa == 1 && sb == 1) {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i], pb[i]);
    } else if (sa == 1 && sb == 0) {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i], *pb);
    } else if (sa == 0 && sb == 1) {
      for (long i = 0; i < n; i++) out[i] = Op::f(*pa, pb[i]);
    } else {
      for (long i = 0; i < n; i++) out[i] = Op::f(pa[i * sa], pb[i * sb]);
    }
  });
}

// dx = dy * derivative(a, b, y), which is Op::da or Op::db: operands of the loop; dx is dense
template <class E, class Derivative>
void binary_backward_cpu(E* dx, const E* dy, const E* a, const E* b, const E* y, const Loop& loop,
                         Derivative derivative) {
  const long sd = loop.strides[1].back(), sa = loop.strides[2].back();
  const long sb = loop.strides[3].back(), sy = loop.strides[4].back();
  walk<5>(loop, [&](long n, const std::array<long, 5>& at) {
    E* out = dx + at[0];
    const E *d = dy + at[1], *pa = a + at[2], *pb = b + at[3], *py = y + at[4];
    if (sd == 1 && sa == 1 && sb == 1 && sy == 1) {
      for (long i = 0; i < n; i++) out[i] = d[i] * derivative(pa[i], pb[i], py[i]);
    } else {
      for (long i = 0; i < n; i++) out[i] = d[i * sd] * derivative(pa[i * sa], pb[i * sb], py[i * sy]);
    }
  });
}

template <class Op, class E>
void backward_a_cpu(E* dx, const E* dy, const E* a, const E* b, const E* y, const Loop& loop) {
  binary_backward_cpu(dx, dy, a, b, y, loop, [](E u, E v, E w) { return Op::da(u, v, w); });
}

template <class Op, class E>
void backward_b_cpu(E* dx, const E* dy, const E* a, const E* b, const E* y, const Loop& loop) {
  binary_backward_cpu(dx, dy, a, b, y, loop, [](E u, E v, E w) { return Op::db(u, v, w); });
}

// y += x, operands of the loop; both may be strided
template <class E> void add_into_cpu(E* y, const E* x, const Loop& loop) {
  const long sy = loop.strides[0].back(), sx = loop.strides[1].back();
  walk<2>(loop, [&](long n, const std::array<long, 2>& at) {
    E* out = y + at[0];
    const E* in = x + at[1];
    if (sy == 1 && sx == 1) {
      for (long i = 0; i < n; i++) out[i] += in[i];
    } else {
      for (long i = 0; i < n; i++) out[i * sy] += in[i * sx];
    }
  });
}

const OnCpu elementwise{[]<class E>(auto set) {
#define HEED_UNARY_ROW(name, saves, f, df)                              \
  set(kernels::unary<ops::name##_op, E>, unary_cpu<ops::name##_op, E>); \
  set(kernels::unary_backward<ops::name##_op, E>, unary_backward_cpu<ops::name##_op, E>);
  HEED_UNARY_TABLE(HEED_UNARY_ROW)
#define HEED_BINARY_ROW(name, saves, f, da, db)                                          \
  set(kernels::binary<ops::name##_op, E>, binary_cpu<ops::name##_op, E>);                \
  set(kernels::binary_backward_a<ops::name##_op, E>, backward_a_cpu<ops::name##_op, E>); \
  set(kernels::binary_backward_b<ops::name##_op, E>, backward_b_cpu<ops::name##_op, E>);
  HEED_BINARY_TABLE(HEED_BINARY_ROW)
  set(kernels::add_into<E>, add_into_cpu<E>);
}};

}  // namespace
}  // namespace heed
