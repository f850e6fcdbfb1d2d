// The 16-bit draws that decide which elements dropout keeps (keep_mask in tensor/random.h): a thread per Philox
// counter, which has the draws of eight neighbouring elements. Integers only: the same bits as on the cpu.
#pragma once

#include "cuda/walk.cuh"
#include "system/ceil_div.h"
#include "tensor/random.h"

namespace heed::cuda {

inline constexpr int kDrawsOfCounter = 8;

// body(at, draw) for the eight elements of counter e
template <class Counter, class Body> struct KeepDrawsOfCounter {
  long channels, counters;  // of a row
  uint64_t key;
  Counter counter;
  Body body;

  __device__ void operator()(long e) const {
    const long row = e / counters, j = e % counters, first = row * channels + kDrawsOfCounter * j;
    const long there = channels - kDrawsOfCounter * j;
    const Philox4 draws = philox(counter(row, uint32_t(j)), key);
#pragma unroll
    for (int k = 0; k < kDrawsOfCounter; k++)
      if (k < there) body(first + k, draws[k / 2] >> 16 * (k % 2) & 0xffff);
  }
};

// body(at, draw) for every element of x (rows, channels), whose place is `at`. counter(row, j): counter j of a row
template <class Counter, class Body>
void for_keep_draws(const char* op, long rows, long channels, uint64_t key, const Counter& counter, const Body& body) {
  const long counters = ceil_div(channels, kDrawsOfCounter);
  for_elements(op, rows * counters, KeepDrawsOfCounter<Counter, Body>{channels, counters, key, counter, body});
}

struct CounterOfToken {
  long tokens;
  RandomKey key;

  __device__ Philox4 operator()(long row, uint32_t j) const {
    return {key.site, key.sample + uint32_t(row / tokens), uint32_t(row % tokens), j};
  }
};

// of x (samples, tokens, channels)
template <class Body> void for_keep_draws(const char* op, const KeepDraws& s, const Body& body) {
  for_keep_draws(op, s.samples * s.tokens, s.channels, s.key.key(), CounterOfToken{s.tokens, s.key}, body);
}

}  // namespace heed::cuda
