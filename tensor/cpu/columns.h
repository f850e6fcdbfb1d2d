// What the kernels of gather and scatter share.
#pragma once

#include <cstring>
#include <type_traits>

#include "tensor/cpu/walk.h"
#include "tensor/gather.h"

namespace heed {

// One (outer, inner) column after the other: body(x_at, y_at) gets the first place of the column in x (outer, from,
// inner) and in y (outer, picked, inner); the next one is s.inner further. Columns never touch each other's places,
// so the order of writes and additions is fixed.
template <class Body> void for_columns(const GatherSizes& s, Body&& body) {
  parallel_for(s.outer * s.inner, rows_grain(s.picked), [&](long begin, long end) {
    for (long column = begin; column < end; column++) {
      long outer = column / s.inner, inner = column % s.inner;
      body(outer * s.from * s.inner + inner, outer * s.picked * s.inner + inner);
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
