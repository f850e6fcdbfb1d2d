#include "tensor/ops/elementwise.h"

#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

template <class Op> Tensor unary(const Tensor& x) {
  check_defined(Op::name, x);
  return visit_maths(Op::name, x.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
    kernels::unary<Op, E>(x.device())(y.mutable_data<E>(), x.data<E>(), make_loop(y.shape(), {&y, &x}));
    return y;
  });
}

// A kernel takes all pointers: what the gradient does not use may be undefined and is stood in for by dy.
const Tensor& saved(const char* op, bool needed, const Tensor& x, const Tensor& dy) {
  if (!needed) return dy;
  check_same_kind(op, dy, x);
  HEED_CHECK(x.dims() <= dy.dims() && broadcast(op, dy.shape(), x.shape()) == dy.shape(), op, "dy is ", dy.shape(),
             " and a tensor of the forward pass is ", x.shape(), "; it must broadcast to dy");
  return x;
}

template <class Op> Tensor unary_backward(const Tensor& dy, const Tensor& saved_x, const Tensor& saved_y) {
  check_defined(Op::name, dy);
  const Tensor& x = saved(Op::name, Op::saves == Saves::x, saved_x, dy);
  const Tensor& y = saved(Op::name, Op::saves == Saves::y, saved_y, dy);
  return visit_maths(Op::name, dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor dx = Tensor::empty(dy.shape(), dy.dtype(), dy.device());
    kernels::unary_backward<Op, E>(dy.device())(dx.mutable_data<E>(), dy.data<E>(), x.data<E>(), y.data<E>(),
                                                make_loop(dx.shape(), {&dx, &dy, &x, &y}));
    return dx;
  });
}

template <class Op> Tensor binary(const Tensor& a, const Tensor& b) {
  check_same_kind(Op::name, a, b);
  return visit_maths(Op::name, a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor y = Tensor::empty(broadcast(Op::name, a.shape(), b.shape()), a.dtype(), a.device());
    kernels::binary<Op, E>(a.device())(y.mutable_data<E>(), a.data<E>(), b.data<E>(),
                                       make_loop(y.shape(), {&y, &a, &b}));
    return y;
  });
}

enum class Side { a, b };

template <class Op, Side side, class E>
inline constexpr bool passes_through = std::is_same_v<One, decltype([] {
                                                        if constexpr (side == Side::a)
                                                          return Op::da(E(), E(), E());
                                                        else
                                                          return Op::db(E(), E(), E());
                                                      }())>;

template <class Op, Side side>
Tensor binary_backward(const Tensor& dy, const Tensor& saved_a, const Tensor& saved_b, const Tensor& saved_y) {
  check_defined(Op::name, dy);
  if constexpr (passes_through<Op, side, float>) return dy;
  const Tensor& a = saved(Op::name, Op::saves == Saves::ab, saved_a, dy);
  const Tensor& b = saved(Op::name, Op::saves == Saves::ab || Op::saves == Saves::by, saved_b, dy);
  const Tensor& y = saved(Op::name, Op::saves == Saves::by, saved_y, dy);
  return visit_maths(Op::name, dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor dx = Tensor::empty(dy.shape(), dy.dtype(), dy.device());
    const auto& slot = side == Side::a ? kernels::binary_backward_a<Op, E> : kernels::binary_backward_b<Op, E>;
    slot(dy.device())(dx.mutable_data<E>(), dy.data<E>(), a.data<E>(), b.data<E>(), y.data<E>(),
                      make_loop(dx.shape(), {&dx, &dy, &a, &b, &y}));
    return dx;
  });
}

Tensor like(const char* op, const Tensor& x, double value) {
  check_defined(op, x);
  return scalar(value, x.dtype(), x.device());
}

}  // namespace

#define HEED_UNARY_DOORS(name, saves, f, df)                                   \
  Tensor name(const Tensor& x) { return unary<ops::name##_op>(x); }            \
  Tensor name##_backward(const Tensor& dy, const Tensor& x, const Tensor& y) { \
    return unary_backward<ops::name##_op>(dy, x, y);                           \
  }
HEED_UNARY_TABLE(HEED_UNARY_DOORS)

#define HEED_BINARY_DOORS(name, saves, f, da, db)                                                 \
  Tensor name(const Tensor& a, const Tensor& b) { return binary<ops::name##_op>(a, b); }          \
  Tensor name(const Tensor& a, double b) { return name(a, like(#name, a, b)); }                   \
  Tensor name(double a, const Tensor& b) { return name(like(#name, b, a), b); }                   \
  Tensor name##_backward_a(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y) { \
    return binary_backward<ops::name##_op, Side::a>(dy, a, b, y);                                 \
  }                                                                                               \
  Tensor name##_backward_b(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y) { \
    return binary_backward<ops::name##_op, Side::b>(dy, a, b, y);                                 \
  }
HEED_BINARY_TABLE(HEED_BINARY_DOORS)

void add_into(const Tensor& y, const Tensor& x) {
  check_writable("add_into", y);
  check_same_kind("add_into", y, x);
  HEED_CHECK(broadcast("add_into", y.shape(), x.shape()) == y.shape(), "add_into", "y is ", y.shape(), " and x is ",
             x.shape(), "; x must broadcast to y");
  visit_maths("add_into", y.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor term = apart(x, y);
    kernels::add_into<E>(y.device())(y.mutable_data<E>(), term.data<E>(), make_loop(y.shape(), {&y, &term}));
  });
}

}  // namespace heed
