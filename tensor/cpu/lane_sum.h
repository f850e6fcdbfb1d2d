// Sums along a row that the compiler turns into vector code: sixteen partial sums, added up in a fixed order.
#pragma once

namespace heed {

// f(0) + f(1) + ... + f(n - 1)
template <class E, class F> E lane_sum(long n, F&& f) {
  constexpr long kLanes = 16;
  E lane[kLanes] = {};
  long i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (long j = 0; j < kLanes; j++) lane[j] += f(i + j);
  for (; i < n; i++) lane[i % kLanes] += f(i);
  for (long width = kLanes / 2; width > 0; width /= 2)
    for (long j = 0; j < width; j++) lane[j] += lane[j + width];
  return lane[0];
}

}  // namespace heed
