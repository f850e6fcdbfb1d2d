// Rows by index: rows_at moves whole rows, a block each; rows_added adds rows up at their places, in the order of the
// list (in_order.cuh).
#include "tensor/ops/rows.h"

#include "cuda/in_order.cuh"
#include "cuda/move.cuh"
#include "cuda/walk.cuh"

namespace heed::cuda {
namespace {

// Where matrix number n of the input and its list begin
Walk<2> matrices_of(const RowsLayout& s) { return Walk<2>(Loop{2, s.lead, {s.from, s.list}, s.matrices()}); }

// x by its layout, index by its layout -> y (lead, P, C)
template <class Bits> struct RowAt {
  Walk<2> matrices;
  Bits* y;
  const Bits* x;
  const int32_t* index;
  long P, C, from_row;

  __device__ void operator()(long r) const {
    long at[2];
    place<uint64_t>(at, r / P, matrices);
    const long row = index[at[1] + r % P];
    const Bits* from = x + at[0] + row * from_row;
    for (long c = threadIdx.x; c < C; c += blockDim.x) y[r * C + c] = row < 0 ? Bits(0) : from[c];
  }
};

template <class Bits> void rows_at_bits(void* y, const void* x, const int32_t* index, const RowsLayout& s) {
  const RowAt<Bits> row{matrices_of(s), static_cast<Bits*>(y), static_cast<const Bits*>(x), index, s.P, s.C,
                        s.from_row};
  for_rows("rows_at", s.matrices() * s.P, threads_for(s.C), row);
}
void rows_at(void* y, const void* x, const int32_t* index, const RowsLayout& s, long bytes) {
  visit_bits(bytes, [&](auto tag) { rows_at_bits<decltype(tag)>(y, x, index, s); });
}

template <class E> struct ColumnsOf {
  Walk<2> matrices;
  E* x;
  const E* y;
  const int32_t* index;
  long T, C, from_row;

  __device__ Column<E, const E, int32_t> operator()(long n, long c) const {
    long at[2];
    place<uint64_t>(at, n, matrices);
    return {x + n * T * C + c, y + at[0] + c, index + at[1], C, from_row, 1};
  }
};

// y by its layout -> x (lead, T, C), which is zero
template <class E> void rows_added(E* x, const E* y, const int32_t* index, const RowsLayout& s) {
  const ColumnsOf<E> columns{matrices_of(s), x, y, index, s.T, s.C, s.from_row};
  in_order("rows_added", {s.matrices(), s.T, s.P, s.C}, columns, Add());
}

const OnCuda rows{[](auto set) { set(kernels::rows_at, rows_at); }};
const OnCuda added{[]<class E>(auto set) { set(kernels::rows_added<E>, rows_added<E>); }};

}  // namespace
}  // namespace heed::cuda
