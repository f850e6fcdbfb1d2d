// Elementwise ops: for every line of elementwise_table.h the doors
//
//   Tensor tanh(const Tensor& x);
//   Tensor tanh_backward(const Tensor& dy, const Tensor& x, const Tensor& y);    // dx = dy * f'
//   Tensor mul(const Tensor& a, const Tensor& b);                                // a and b broadcast
//   Tensor mul_backward_a(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y);   // has y's shape
//   Tensor mul_backward_b(...);                                                  // see reduce.h: sum_to
//
// A tensor that the op's gradient does not need (see Saves) may be left undefined. A number stands for a tensor of
// one element: mul(x, 2.0), x * 2.0.
#pragma once

#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tensor/ops/elementwise_table.h"
#include "tensor/tensor.h"

namespace heed {

#define HEED_UNARY_DOORS(name, saves, f, df) \
  Tensor name(const Tensor& x);              \
  Tensor name##_backward(const Tensor& dy, const Tensor& x, const Tensor& y);
HEED_UNARY_TABLE(HEED_UNARY_DOORS)
#undef HEED_UNARY_DOORS

#define HEED_BINARY_DOORS(name, saves, f, da, db)                                                \
  Tensor name(const Tensor& a, const Tensor& b);                                                 \
  Tensor name(const Tensor& a, double b);                                                        \
  Tensor name(double a, const Tensor& b);                                                        \
  Tensor name##_backward_a(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y); \
  Tensor name##_backward_b(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y);
HEED_BINARY_TABLE(HEED_BINARY_DOORS)
#undef HEED_BINARY_DOORS

inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, double b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, double b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, double b) { return div(a, b); }
inline Tensor operator+(double a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(double a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(double a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(double a, const Tensor& b) { return div(a, b); }

void add_into(const Tensor& y, const Tensor& x);  // y += x in place; x broadcasts to y

// One type per line of the table, with its formulas: what kernels are templates over. The return type repeats the
// formula, so that a kernel can ask whether it also works on a Vec.
namespace ops {
#define HEED_UNARY_OP(op_name, op_saves, f_, df_)                                                                 \
  struct op_name##_op {                                                                                           \
    static constexpr const char* name = #op_name;                                                                 \
    static constexpr Saves saves = Saves::op_saves;                                                               \
    template <class E> static constexpr auto f(E x) -> decltype(E(f_)) { return f_; }                             \
    template <class E> static constexpr auto df([[maybe_unused]] E x, [[maybe_unused]] E y) -> decltype(E(df_)) { \
      return df_;                                                                                                 \
    }                                                                                                             \
  };
HEED_UNARY_TABLE(HEED_UNARY_OP)
#undef HEED_UNARY_OP

#define HEED_BINARY_OP(op_name, op_saves, f_, da_, db_)                                                             \
  struct op_name##_op {                                                                                             \
    static constexpr const char* name = #op_name;                                                                   \
    static constexpr Saves saves = Saves::op_saves;                                                                 \
    template <class E> static constexpr E f(E a, E b) { return f_; }                                                \
    template <class E> static constexpr auto da([[maybe_unused]] E a, [[maybe_unused]] E b, [[maybe_unused]] E y) { \
      return da_;                                                                                                   \
    }                                                                                                               \
    template <class E> static constexpr auto db([[maybe_unused]] E a, [[maybe_unused]] E b, [[maybe_unused]] E y) { \
      return db_;                                                                                                   \
    }                                                                                                               \
  };
HEED_BINARY_TABLE(HEED_BINARY_OP)
#undef HEED_BINARY_OP
}  // namespace ops

// For the backends. Outputs are row-major; the loop's operands are in the order of the pointers.
namespace kernels {
template <class E> using Unary = Kernel<void(E* y, const E* x, const Loop& loop)>;
template <class E> using UnaryBackward = Kernel<void(E* dx, const E* dy, const E* x, const E* y, const Loop& loop)>;
template <class E> using Binary = Kernel<void(E* y, const E* a, const E* b, const Loop& loop)>;
template <class E>
using BinaryBackward = Kernel<void(E* dx, const E* dy, const E* a, const E* b, const E* y, const Loop& loop)>;
template <class Op, class E> inline Unary<E> unary{Op::name};
template <class Op, class E> inline UnaryBackward<E> unary_backward{Op::name};
template <class Op, class E> inline Binary<E> binary{Op::name};
template <class Op, class E> inline BinaryBackward<E> binary_backward_a{Op::name};
template <class Op, class E> inline BinaryBackward<E> binary_backward_b{Op::name};
template <class E> inline Kernel<void(E* y, const E* x, const Loop& loop)> add_into{"add_into"};  // y may be strided
}  // namespace kernels

}  // namespace heed
