// Comparisons and logic: ops that give booleans. For every line of the tables below there are the doors
//
//   Tensor less(const Tensor& a, const Tensor& b);     // a and b broadcast and have one type
//   Tensor less(const Tensor& a, double b);            // the number must be one of a's type
//   Tensor logical_and(const Tensor& a, const Tensor& b);   // booleans only
//
// All types but bf16 and f16 can be compared. NaN follows IEEE: not_equal to everything, itself included, and nothing
// else is true of it. A boolean has no gradient; of a Variable compare the value().
#pragma once

#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tensor/tensor.h"

// clang-format off
//      name           true where
#define HEED_COMPARE_TABLE(ROW)        \
    ROW(equal,         a == b)         \
    ROW(not_equal,     a != b)         \
    ROW(less,          a < b)          \
    ROW(less_equal,    a <= b)         \
    ROW(greater,       a > b)          \
    ROW(greater_equal, a >= b)
#define HEED_LOGICAL_TABLE(ROW)        \
    ROW(logical_and,   a && b)         \
    ROW(logical_or,    a || b)
// clang-format on

namespace heed {

#define HEED_DOORS(name, f)                      \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, double b);
HEED_COMPARE_TABLE(HEED_DOORS)
#undef HEED_DOORS
#define HEED_DOORS(name, f) Tensor name(const Tensor& a, const Tensor& b);
HEED_LOGICAL_TABLE(HEED_DOORS)
#undef HEED_DOORS

Tensor logical_not(const Tensor& x);
// Over any axes, {} means all of them; keep = true leaves them with size 1.
Tensor any(const Tensor& x, const Shape& axes = {}, bool keep = false);  // of nothing: false
Tensor all(const Tensor& x, const Shape& axes = {}, bool keep = false);  // of nothing: true

// One type per line of the tables: what kernels are templates over.
namespace ops {
#define HEED_OP(op_name, f_)                                            \
  struct op_name##_op {                                                 \
    static constexpr const char* name = #op_name;                       \
    template <class E> static constexpr bool f(E a, E b) { return f_; } \
  };
HEED_COMPARE_TABLE(HEED_OP)
HEED_LOGICAL_TABLE(HEED_OP)
#undef HEED_OP
}  // namespace ops

// For the backends. y is row-major; the loop's operands are y, a, b. E is bool only for the lines of logic.
namespace kernels {
template <class Op, class E> inline Kernel<void(bool* y, const E* a, const E* b, const Loop& loop)> compare{Op::name};
}  // namespace kernels

}  // namespace heed
