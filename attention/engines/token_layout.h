// How queries, keys, values and outputs lie in memory: logically (B, H, T, C), usually (B, T, H, C) in memory, since
// layers before and after have a row per token. Kernels take any strides with dense channels.
#pragma once

#include "tensor/tensor.h"

namespace heed {

namespace kernels {
struct TokenStrides {  // elements from one sample, head or token to the next; channels are dense
  long b = 0, h = 0, t = 0;
};
}  // namespace kernels

kernels::TokenStrides strides_of(const Tensor& x);  // x (B, H, T, C)

// (B, H, T, C), not yet filled; in memory (B, T, H, C)
Tensor token_major(const Shape& shape, const Tensor& like);

// The same elements with the strides of token_major: a view, or a copy.
Tensor as_token_major(const Tensor& x);

}  // namespace heed
