// Rotary positions: a thread per pair of channels, which it rotates by its token's angle. The table's cosines and sines
// are not the library's: for large angles those keep numbers in slow local memory. Here the angle is brought to a
// quarter turn by three exact products, which does for positions up to some billions.
#include "tensor/ops/rotary.h"

#include "cuda/walk.cuh"
#include "tensor/normal_pairs.h"

namespace heed::cuda {
namespace {

__device__ Angle angle_at(double angle) {
  constexpr double kQuarter[] = {1.5707963267948966, 6.1232339957367660e-17, -1.4973849048591833e-33};  // pi / 2
  const double quarters = std::rint(angle * 0.63661977236758134);
  double x = angle;
#pragma unroll
  for (int i = 0; i < 3; i++) x = std::fma(-quarters, kQuarter[i], x);
  return heed::angle_at(x, uint32_t(int64_t(quarters)));
}

// table (rows, 2, half): cosines, sines. Angles in double: at position 100,000 a float knows them to 0.004 only.
template <class E> void rotary_table(E* table, long rows, long half, long offset, double base) {
  for_elements("rotary", rows * half, [=] __device__(long e) {
    const long t = e / half, i = e % half;
    const Angle angle = angle_at(double(offset + t) * std::pow(base, -double(i) / double(half)));
    table[2 * t * half + i] = E(angle.cosine);
    table[(2 * t + 1) * half + i] = E(angle.sine);
  });
}

// y and x may be the same memory: a pair is read before it is written.
template <class E> struct Rotation {
  Walk<2> rows;  // of y and x
  E* y;
  const E *x, *table;  // (tables, T, 2, half)
  long half, T, rows_of_table;
  bool interleaved;
  E sign;

  __device__ void operator()(long e) const {
    const long row = e / half, i = e % half;
    long at[2];
    if (rows.numel < (1L << 31))
      place<uint32_t>(at, row, rows);
    else
      place<uint64_t>(at, row, rows);
    const long first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : i + half;
    const E* cosine = table + (row / rows_of_table * T + row % T) * 2 * half + i;
    const E a = x[at[1] + first], b = x[at[1] + second], c = cosine[0], s = sign * cosine[half];
    y[at[0] + first] = a * c - b * s;
    y[at[0] + second] = a * s + b * c;
  }
};

template <class E> void rotary(E* y, const E* x, const E* table, const RotaryLayout& layout, bool backwards) {
  const long rows = layout.sizes.numel(), half = layout.D / 2;
  const Walk<2> walk(Loop{2, layout.sizes, {layout.y, layout.x}, rows});
  for_elements("rotary", rows * half,
               Rotation<E>{walk, y, x, table, half, layout.sizes.back(), rows / layout.tables, layout.interleaved,
                           E(backwards ? -1 : 1)});
}

const OnCuda rotary_kernels{[]<class E>(auto set) {
  set(kernels::rotary_table<E>, rotary_table<E>);
  set(kernels::rotary<E>, rotary<E>);
}};

}  // namespace
}  // namespace heed::cuda
