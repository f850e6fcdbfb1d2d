// What the kernels of gather and scatter share.
#pragma once

#include <cstring>
#include <type_traits>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"
#include "tensor/ops/gather.h"

namespace heed {

// Some (outer, inner) columns after the other: body(x_at, y_at, width) gets the first places of `width` neighbouring
// columns in x (outer, from, inner) and in y (outer, picked, inner); the next row is s.inner further. Columns never
// touch each other's places, so the order of writes and additions is fixed.
template <class Body> void for_columns(const GatherSizes& s, Body&& body) {
  constexpr long kWidth = 64;  // a few cache lines of a row at a time
  const long blocks = ceil_div(s.inner, kWidth);
  parallel_for(s.outer * blocks, rows_grain(s.picked * std::min(s.inner, kWidth)), [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long outer = task / blocks, first = task % blocks * kWidth;
      body(outer * s.from * s.inner + first, outer * s.picked * s.inner + first, std::min(kWidth, s.inner - first));
    }
  });
}

// Calls f(move), where move(to, i, from, j) copies the element from[j] to to[i] and knows its size while compiling.
template <class F> void visit_move(long bytes, F&& f) {
  auto with = [&]<long kBytes>(std::integral_constant<long, kBytes>) {
    f([](void* to, long i, const void* from, long j) {
      std::memcpy(static_cast<char*>(to) + i * kBytes, static_cast<const char*>(from) + j * kBytes, kBytes);
    });
  };
  if (bytes == 1) with(std::integral_constant<long, 1>());
  if (bytes == 2) with(std::integral_constant<long, 2>());
  if (bytes == 4) with(std::integral_constant<long, 4>());
  if (bytes == 8) with(std::integral_constant<long, 8>());
}

}  // namespace heed
