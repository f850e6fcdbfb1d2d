// Rows by index: rows_at moves whole rows, one task for some of them; rows_added adds rows up at their places. There a
// task has some channels of one matrix and walks its list from the first row to the last, so that rows that meet at one
// place are always added in the same order.
#include "tensor/ops/rows.h"

#include <cstring>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// x by its layout, index by its layout -> y (lead, P, C)
void rows_at_cpu(void* y, const void* x, const int32_t* index, const RowsLayout& s, long bytes) {
  const size_t run = size_t(s.C * bytes);
  parallel_for(s.matrices() * s.P, rows_grain(s.C), [&](long begin, long end) {
    for (long r = begin; r < end; r++) {
      const long n = r / s.P, row = index[s.list_at(n) + r % s.P];
      char* to = static_cast<char*>(y) + r * long(run);
      if (row < 0)
        std::memset(to, 0, run);
      else
        std::memcpy(to, static_cast<const char*>(x) + (s.from_at(n) + row * s.from_row) * bytes, run);
    }
  });
}

// y by its layout -> x (lead, T, C), which is zero
template <class E> void rows_added_cpu(E* x, const E* y, const int32_t* index, const RowsLayout& s) {
  constexpr long kWidth = 64;  // a few cache lines of a row at a time
  const long blocks = ceil_div(s.C, kWidth);
  parallel_for(s.matrices() * blocks, rows_grain(s.P * std::min(s.C, kWidth)), [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long n = task / blocks, first = task % blocks * kWidth, width = std::min(kWidth, s.C - first);
      const int32_t* list = index + s.list_at(n);
      E* to = x + n * s.T * s.C + first;
      const E* from = y + s.from_at(n) + first;
      for (long p = 0; p < s.P; p++)
        if (list[p] >= 0) add_row(to + list[p] * s.C, from + p * s.from_row, width);
    }
  });
}

const OnCpu rows{[](auto set) { set(kernels::rows_at, rows_at_cpu); }};
const OnCpu added{[]<class E>(auto set) { set(kernels::rows_added<E>, rows_added_cpu<E>); }};

}  // namespace
}  // namespace heed
