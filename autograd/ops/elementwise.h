// Elementwise ops on Variables: for every line of tensor/ops/elementwise_table.h
//
//   Variable tanh(const Variable& x);
//   Variable mul(const Variable& a, const Variable& b);   // a and b broadcast; either may be a number
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/elementwise.h"

namespace heed {

#define HEED_UNARY_DOORS(name, saves, f, df) Variable name(const Variable& x);
HEED_UNARY_TABLE(HEED_UNARY_DOORS)
#undef HEED_UNARY_DOORS

#define HEED_BINARY_DOORS(name, saves, f, da, db)      \
  Variable name(const Variable& a, const Variable& b); \
  Variable name(const Variable& a, double b);          \
  Variable name(double a, const Variable& b);
HEED_BINARY_TABLE(HEED_BINARY_DOORS)
#undef HEED_BINARY_DOORS

inline Variable operator-(const Variable& x) { return neg(x); }
inline Variable operator+(const Variable& a, const Variable& b) { return add(a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return sub(a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return mul(a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return div(a, b); }
inline Variable operator+(const Variable& a, double b) { return add(a, b); }
inline Variable operator-(const Variable& a, double b) { return sub(a, b); }
inline Variable operator*(const Variable& a, double b) { return mul(a, b); }
inline Variable operator/(const Variable& a, double b) { return div(a, b); }
inline Variable operator+(double a, const Variable& b) { return add(a, b); }
inline Variable operator-(double a, const Variable& b) { return sub(a, b); }
inline Variable operator*(double a, const Variable& b) { return mul(a, b); }
inline Variable operator/(double a, const Variable& b) { return div(a, b); }

}  // namespace heed
