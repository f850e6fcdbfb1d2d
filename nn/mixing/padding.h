// Padding: samples of a batch differ in length and are filled up to the longest. A mask hides the padding from other
// tokens (mask.h); that its own rows come out as zeros is the work of every mixer.
#pragma once

#include "nn/context.h"

namespace heed {

// Boolean (B, T), true where a token is padding: row i stands at position i + S - T, and sample b ends before
// lengths[b]. lengths: i64 (B,).
Tensor padding(const Tensor& lengths, long T, long S);

// y (B, T, C) with zeros in the rows that are padding; y itself if lengths are undefined. They are on the host, and
// what is made of them is moved to y's device; with a context once for all layers of a batch.
Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S);
Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S, Context& ctx);

}  // namespace heed
