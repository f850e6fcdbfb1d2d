// What a backend is told about the weights that dropout keeps (attention/engines/keep.h).
#pragma once

#include "tensor/kernel.h"
#include "tensor/random.h"

namespace heed::kernels {

// What head number h adds to the site of the key
constexpr uint32_t head_site(long h) { return uint32_t(h) * 0x9E3779B9u; }

struct AttentionKeep {
  long B, H, T, S;
  long begin, rows;  // of the queries: begin .. begin + rows
  RandomKey key;
  uint32_t threshold;  // a 16-bit draw that is at least this keeps its pair
};
// keep (B, H, rows, S)
inline Kernel<void(bool* keep, const AttentionKeep& draws)> attention_keep{"attention_keep"};

}  // namespace heed::kernels
