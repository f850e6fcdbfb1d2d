// For kernels that only move elements: of their type they need the size.
#pragma once

#include <cstdint>

namespace heed::cuda {

// Calls f(tag) with an unsigned integer of that many bytes: 1, 2, 4 or 8.
template <class F> void visit_bits(long bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    default: return f(uint64_t());
  }
}

}  // namespace heed::cuda
