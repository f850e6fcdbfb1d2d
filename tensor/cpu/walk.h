// Walking a Loop on the cpu: the body is called for runs along the innermost axis, in parallel pieces.
#pragma once

#include <algorithm>
#include <array>

#include "system/parallel.h"
#include "tensor/loop.h"

namespace heed {

inline constexpr long kElementGrain = 32768;  // elements per piece: some microseconds of work

// Rows per piece, for rows of this many elements; an element may be worth `cost` plain ones.
inline long rows_grain(long row, long cost = 1) { return std::max(1L, kElementGrain / cost / std::max(1L, row)); }

// to += from (n), which never overlap
template <class E> void add_row(E* __restrict to, const E* __restrict from, long n) {
  for (long i = 0; i < n; i++) to[i] += from[i];
}

// body(count, offsets): handles `count` elements starting at offsets[k] elements in operand k; the step of operand k
// is loop.strides[k].back().
template <int Operands, class Body> void walk(const Loop& loop, Body&& body) {
  const int inner = loop.sizes.dims() - 1;
  parallel_for(loop.numel, kElementGrain, [&](long begin, long end) {
    std::array<long, Operands> offset{};
    if (inner == 0) {  // most walks: no position to work out
      for (int k = 0; k < Operands; k++) offset[k] = begin * loop.strides[k][0];
      return body(end - begin, offset);
    }
    std::array<long, kMaxDims> index{};
    long rest = begin;  // the position of `begin`, axis by axis
    for (int i = inner; i >= 0; i--) {
      index[i] = rest % loop.sizes[i];
      rest /= loop.sizes[i];
      for (int k = 0; k < Operands; k++) offset[k] += index[i] * loop.strides[k][i];
    }
    while (begin < end) {
      long count = std::min(loop.sizes[inner] - index[inner], end - begin);
      body(count, offset);
      begin += count;
      index[inner] += count;
      for (int k = 0; k < Operands; k++) offset[k] += count * loop.strides[k][inner];
      for (int i = inner; i > 0 && index[i] == loop.sizes[i]; i--) {  // carry into the next axis
        index[i] = 0;
        index[i - 1]++;
        for (int k = 0; k < Operands; k++) offset[k] += loop.strides[k][i - 1] - loop.sizes[i] * loop.strides[k][i];
      }
    }
  });
}

}  // namespace heed
