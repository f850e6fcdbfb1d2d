#include "tensor/ops/compare.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

template <class Op, class E> Tensor compared(const Tensor& a, const Tensor& b) {
  Tensor y = Tensor::empty(broadcast(Op::name, a.shape(), b.shape()), boolean, a.device());
  kernels::compare<Op, E>(a.device())(y.mutable_data<bool>(), a.data<E>(), b.data<E>(),
                                      make_loop(y.shape(), {&y, &a, &b}));
  return y;
}

template <class Op> Tensor compare(const Tensor& a, const Tensor& b) {
  check_same_kind(Op::name, a, b);
  HEED_CHECK(!is_storage(a.dtype()), Op::name, "x is ", a.dtype(),
             ", which is for storage and is not compared. Cast first: cast(x, f32)");
  return visit(a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    if constexpr (std::is_arithmetic_v<E>) return compared<Op, E>(a, b);
    return Tensor();  // not reached: bf16 and f16
  });
}

// x < 2.5 for integers would be another question if 2.5 were cut to 2.
Tensor number_like(const char* op, const Tensor& x, double number) {
  check_defined(op, x);
  HEED_CHECK(holds(x.dtype(), number), op, "x is ", x.dtype(), " and the number ", number,
             " is not one of this type. Cast first: ", op, "(cast(x, f64), ", number, ")");
  return scalar(number, x.dtype(), x.device());
}

void check_boolean(const char* op, const Tensor& x) {
  check_defined(op, x);
  HEED_CHECK(x.dtype() == boolean, op, "x is ", x.dtype(),
             "; logic is done on booleans. Did you mean not_equal(x, 0)?");
}

void check_reduction(const char* op, const Tensor& x, const Shape& axes) {
  check_boolean(op, x);
  for (long axis : axes) axis_of(op, axis, x.shape());
}

template <class Op> Tensor logical(const Tensor& a, const Tensor& b) {
  check_boolean(Op::name, a);
  check_same_kind(Op::name, a, b);
  return compared<Op, bool>(a, b);
}

}  // namespace

#define HEED_DOORS(name, f)                                                               \
  Tensor name(const Tensor& a, const Tensor& b) { return compare<ops::name##_op>(a, b); } \
  Tensor name(const Tensor& a, double b) { return name(a, number_like(#name, a, b)); }
HEED_COMPARE_TABLE(HEED_DOORS)
#undef HEED_DOORS
#define HEED_DOORS(name, f) \
  Tensor name(const Tensor& a, const Tensor& b) { return logical<ops::name##_op>(a, b); }
HEED_LOGICAL_TABLE(HEED_DOORS)
#undef HEED_DOORS

Tensor logical_not(const Tensor& x) {
  check_boolean("logical_not", x);
  return equal(x, 0);
}

// A sum of zeros and ones is 0 only if all are: rounding cannot make one vanish.
Tensor any(const Tensor& x, const Shape& axes, bool keep) {
  check_reduction("any", x, axes);
  return greater(sum(cast(x, f32), axes, keep), 0);
}

Tensor all(const Tensor& x, const Shape& axes, bool keep) {
  check_reduction("all", x, axes);
  return logical_not(any(logical_not(x), axes, keep));
}

}  // namespace heed
