// Products in bf16: operands are rounded to 8 bits of mantissa, sums are f32. Weights stay f32 (the masters), so an
// update that is too small for bf16 is not lost; norms, softmax and losses see f32 throughout.
//
//   y = bf16_gradient(matmul(bf16_operand(a), bf16_operand(b)))
//
// multiplies rounded operands forwards (a, b) and backwards (dy and b, a and dy). Rounding counts as the identity in
// backward. To nearest, ties to even; NaN stays NaN. f64 is never rounded: gradient checks stay sharp.
#pragma once

#include "autograd/variable.h"

namespace heed {

// y = x w^T + b: x (..., in), w (out, in), b (out,) or undefined. x, w and dy go into the products as bf16, half the
// bytes and what units for it multiply (kernels::matmul_bf16); b and y are f32. The same numbers as
// bf16_gradient(linear(bf16_operand(x), bf16_operand(w), b)).
Variable linear_bf16(const Variable& x, const Variable& w, const Variable& b);

// y = rounded x, dx = dy. Backward rounds x again instead of keeping y, unless y is kept anyway.
Variable bf16_operand(const Variable& x, bool keep = false);
// y = x, dx = rounded dy
Variable bf16_gradient(const Variable& x);

}  // namespace heed
