// Rotary positions: the table of cosines and sines, and the rotation of pairs of channels by a token's angle. Backward
// rotates by the opposite angle.
#include "tensor/ops/rotary.h"

#include <algorithm>
#include <cmath>

#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// table (rows, 2, half): cosines, sines. Angles in double: at position 100,000 a float knows them to 0.004 only.
template <class E> void table_cpu(E* table, long rows, long half, long offset, double base) {
  parallel_for(rows, rows_grain(half, 32), [&](long begin, long end) {
    for (long i = 0; i < half; i++) {
      const double per_position = std::pow(base, -double(i) / double(half));
      for (long t = begin; t < end; t++) {
        table[2 * t * half + i] = E(std::cos(double(offset + t) * per_position));
        table[(2 * t + 1) * half + i] = E(std::sin(double(offset + t) * per_position));
      }
    }
  });
}

// One row of D = 2 half channels. Backwards the sign is -1: the sine of the opposite angle.
template <class E>
void rotate_row(E* y, const E* x, const E* cosines, const E* sines, long half, bool interleaved, E sign) {
  if (interleaved)
    for (long i = 0; i < half; i++) {
      const E a = x[2 * i], b = x[2 * i + 1], c = cosines[i], s = sign * sines[i];
      y[2 * i] = a * c - b * s;
      y[2 * i + 1] = a * s + b * c;
    }
  else
    for (long i = 0; i < half; i++) {
      const E a = x[i], b = x[i + half], c = cosines[i], s = sign * sines[i];
      y[i] = a * c - b * s;
      y[i + half] = a * s + b * c;
    }
}

// y, x: rows of D channels at the strides of the layout, whose last size is T; table (tables, T, 2, D/2)
template <class E> void rotary_cpu(E* y, const E* x, const E* table, const RotaryLayout& layout, bool backwards) {
  const Shape& sizes = layout.sizes;
  const long D = layout.D, half = D / 2, length = sizes.back(), rows = sizes.numel() / layout.tables;  // of one table
  parallel_for(sizes.numel(), rows_grain(D), [&](long begin, long end) {
    for (long row = begin; row < end; row++) {
      long x_at = 0, y_at = 0, rest = row;
      for (int i = sizes.dims() - 1; i >= 0; rest /= sizes[i], i--)
        x_at += rest % sizes[i] * layout.x[i], y_at += rest % sizes[i] * layout.y[i];
      const E* cosines = table + (row / rows * length + row % length) * D;
      rotate_row(y + y_at, x + x_at, cosines, cosines + half, half, layout.interleaved, E(backwards ? -1 : 1));
    }
  });
}

const OnCpu rotary{[]<class E>(auto set) {
  set(kernels::rotary_table<E>, table_cpu<E>);
  set(kernels::rotary<E>, rotary_cpu<E>);
}};

}  // namespace
}  // namespace heed
