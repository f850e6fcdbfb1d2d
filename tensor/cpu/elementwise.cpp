// Kernels of the elementwise table: one loop per shape of memory access, so that the compiler can vectorise the
// common ones.
#include "tensor/ops/elementwise.h"

#include "tensor/cpu/simd.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

using V = Vec<float>;

// y[i] = Op::f(x[i]). Formulas that work on a Vec get one; the others are simple enough for the compiler.
template <class Op, class T> void unary_run(T* y, const T* x, long n) {
  if constexpr (std::is_same_v<T, float> && requires(V v) { Op::f(v); }) {
    long i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) Op::f(V::load(x + i)).store(y + i);
    if (i < n) Op::f(V::load(x + i, n - i)).store(y + i, n - i);
  } else {
    for (long i = 0; i < n; i++) y[i] = Op::f(x[i]);
  }
}

// dx[i] = dy[i] * Op::df(x[i], y[i])
template <class Op, class T> void unary_backward_run(T* dx, const T* dy, const T* x, const T* y, long n) {
  if constexpr (std::is_same_v<T, float> && requires(V v) { Op::df(v, v); }) {
    long i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) (V::load(dy + i) * Op::df(V::load(x + i), V::load(y + i))).store(dx + i);
    if (const long rest = n - i; rest > 0)
      (V::load(dy + i, rest) * Op::df(V::load(x + i, rest), V::load(y + i, rest))).store(dx + i, rest);
  } else {
    for (long i = 0; i < n; i++) dx[i] = dy[i] * Op::df(x[i], y[i]);
  }
}

template <class Op, class T> void unary_cpu(T* y, const T* x, const Loop& loop) {
  const long step = loop.strides[1].back();
  walk<2>(loop, [&](long n, const std::array<long, 2>& at) {
    T* out = y + at[0];
    const T* in = x + at[1];
    if (step == 1) {
      unary_run<Op>(out, in, n);
    } else {
      for (long i = 0; i < n; i++) out[i] = Op::f(in[i * step]);
    }
  });
}

template <class Op, class T> void unary_backward_cpu(T* dx, const T* dy, const T* x, const T* y, const Loop& loop) {
  const long sd = loop.strides[1].back(), sx = loop.strides[2].back(), sy = loop.strides[3].back();
  walk<4>(loop, [&](long n, const std::array<long, 4>& at) {
    T* out = dx + at[0];
    const T *d = dy + at[1], *px = x + at[2], *py = y + at[3];
    if (sd == 1 && sx == 1 && sy == 1) {
      unary_backward_run<Op>(out, d, px, py, n);
    } else {
      for (long i = 0; i < n; i++) out[i] = d[i * sd] * Op::df(px[i * sx], py[i * sy]);
    }
  });
}

template <class Op, class T> void binary_cpu(T* y, const T* a, const T* b, const Loop& loop) {
  const long sa = loop.strides[1].back(), sb = loop.strides[2].back();
  walk<3>(loop, [&](long n, const std::array<long, 3>& at) {
    T* out = y + at[0];
    const T *pa = a + at[1], *pb = b + at[2];
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

// derivative(a, b, y) is Op::da or Op::db.
template <class T, class Derivative>
void binary_backward_cpu(T* dx, const T* dy, const T* a, const T* b, const T* y, const Loop& loop,
                         Derivative derivative) {
  const long sd = loop.strides[1].back(), sa = loop.strides[2].back();
  const long sb = loop.strides[3].back(), sy = loop.strides[4].back();
  walk<5>(loop, [&](long n, const std::array<long, 5>& at) {
    T* out = dx + at[0];
    const T *d = dy + at[1], *pa = a + at[2], *pb = b + at[3], *py = y + at[4];
    if (sd == 1 && sa == 1 && sb == 1 && sy == 1) {
      for (long i = 0; i < n; i++) out[i] = d[i] * derivative(pa[i], pb[i], py[i]);
    } else {
      for (long i = 0; i < n; i++) out[i] = d[i * sd] * derivative(pa[i * sa], pb[i * sb], py[i * sy]);
    }
  });
}

template <class Op, class T>
void backward_a_cpu(T* dx, const T* dy, const T* a, const T* b, const T* y, const Loop& loop) {
  binary_backward_cpu(dx, dy, a, b, y, loop, [](T u, T v, T w) { return Op::da(u, v, w); });
}

template <class Op, class T>
void backward_b_cpu(T* dx, const T* dy, const T* a, const T* b, const T* y, const Loop& loop) {
  binary_backward_cpu(dx, dy, a, b, y, loop, [](T u, T v, T w) { return Op::db(u, v, w); });
}

template <class T> void add_into_cpu(T* y, const T* x, const Loop& loop) {
  const long sy = loop.strides[0].back(), sx = loop.strides[1].back();
  walk<2>(loop, [&](long n, const std::array<long, 2>& at) {
    T* out = y + at[0];
    const T* in = x + at[1];
    if (sy == 1 && sx == 1) {
      for (long i = 0; i < n; i++) out[i] += in[i];
    } else {
      for (long i = 0; i < n; i++) out[i * sy] += in[i * sx];
    }
  });
}

template <class T> void register_all() {
  constexpr Backend cpu = Backend::cpu;
#define HEED_UNARY_ROW(name, saves, f, df)                                  \
  kernels::unary<ops::name##_op, T>.set(cpu, unary_cpu<ops::name##_op, T>); \
  kernels::unary_backward<ops::name##_op, T>.set(cpu, unary_backward_cpu<ops::name##_op, T>);
  HEED_UNARY_TABLE(HEED_UNARY_ROW)
#define HEED_BINARY_ROW(name, saves, f, da, db)                                              \
  kernels::binary<ops::name##_op, T>.set(cpu, binary_cpu<ops::name##_op, T>);                \
  kernels::binary_backward_a<ops::name##_op, T>.set(cpu, backward_a_cpu<ops::name##_op, T>); \
  kernels::binary_backward_b<ops::name##_op, T>.set(cpu, backward_b_cpu<ops::name##_op, T>);
  HEED_BINARY_TABLE(HEED_BINARY_ROW)
  kernels::add_into<T>.set(cpu, add_into_cpu<T>);
}

const bool registered = (register_all<float>(), register_all<double>(), true);

}  // namespace
}  // namespace heed
