// Sums over rows as a by-product of a pass over them, such as the gradient of a bias: rows are cut into blocks by the
// shape only, each block adds up its own part in a workspace, and the parts are added in order. So the bits are the
// same for any number of threads.
#pragma once

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"

namespace heed {

inline long row_block(long C) { return std::max(16L, 2 * kElementGrain / std::max(1L, C)); }  // rows per block
inline long row_blocks(long rows, long C) { return ceil_div(rows, row_block(C)); }

// total (C) = sum of partial (blocks, C), whose rows lie `stride` apart, over the blocks
template <class E> void add_blocks(E* total, const E* partial, long blocks, long stride, long C) {
  parallel_for(C, std::max(64L, kElementGrain / std::max(1L, blocks)), [&](long begin, long end) {
    std::fill(total + begin, total + end, E(0));
    for (long b = 0; b < blocks; b++) add_row(total + begin, partial + b * stride + begin, end - begin);
  });
}

}  // namespace heed
