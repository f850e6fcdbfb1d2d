#include "autograd/ops/elementwise.h"

#include "tensor/create.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

using UnaryBackward = Tensor (*)(const Tensor& dy, const Tensor& x, const Tensor& y);
using BinaryBackward = Tensor (*)(const Tensor& dy, const Tensor& a, const Tensor& b, const Tensor& y);

template <class X> Saved saved_if(bool needed, const X& x) { return needed ? Saved(x) : Saved(); }  // Tensor, Variable

Variable unary(const char* op, Saves saves, const Variable& x, const Tensor& y, UnaryBackward dx) {
  return record(op, y, {x},
                [dx, x = saved_if(saves == Saves::x, x), y = saved_if(saves == Saves::y, y)](const Tensor& dy) {
                  return dx(dy, x, y);
                });
}

// The gradients have y's shape; sum_to undoes the broadcasting.
Variable binary(const char* op, Saves saves, const Variable& a, const Variable& b, const Tensor& y, BinaryBackward da,
                BinaryBackward db) {
  const bool keep_a = saves == Saves::ab, keep_b = saves == Saves::ab || saves == Saves::by;
  return record(
      op, y, {a, b},
      [da, db, shape_a = a.shape(), shape_b = b.shape(), want_a = a.requires_grad(), want_b = b.requires_grad(),
       a = saved_if(keep_a, a), b = saved_if(keep_b, b), y = saved_if(saves == Saves::by, y)](const Tensor& dy) {
        return Grads{want_a ? sum_to(da(dy, a, b, y), shape_a) : Tensor(),
                     want_b ? sum_to(db(dy, a, b, y), shape_b) : Tensor()};
      });
}

Variable like(const Variable& x, double value) {
  check_defined("scalar", x.value());
  return scalar(value, x.dtype(), x.value().device());
}

}  // namespace

#define HEED_UNARY_DOORS(name, saves, f, df) \
  Variable name(const Variable& x) { return unary(#name, Saves::saves, x, name(x.value()), name##_backward); }
HEED_UNARY_TABLE(HEED_UNARY_DOORS)

#define HEED_BINARY_DOORS(name, saves, f, da, db)                                                               \
  Variable name(const Variable& a, const Variable& b) {                                                         \
    return binary(#name, Saves::saves, a, b, name(a.value(), b.value()), name##_backward_a, name##_backward_b); \
  }                                                                                                             \
  Variable name(const Variable& a, double b) { return name(a, like(a, b)); }                                    \
  Variable name(double a, const Variable& b) { return name(like(b, a), b); }
HEED_BINARY_TABLE(HEED_BINARY_DOORS)

}  // namespace heed
