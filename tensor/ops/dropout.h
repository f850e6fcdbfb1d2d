// Dropout: sets elements to zero at random and scales the others, so that the expected value stays the same.
#pragma once

#include "tensor/kernel.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed {

// y = x / (1 - p) where keep_mask(key, p) keeps an element, 0 elsewhere; 0 <= p < 1. The first axis of x counts the
// samples and the last one the channels, all axes between are the tokens:
//
//   (samples, tokens, channels)      as keep_mask has it (tensor/random.h)
//   (samples, channels)              one token per sample
//   (samples,)                       one token with one channel per sample; a scalar is one sample
//   (samples, heads, tokens, width)  heads * tokens tokens
//
// So a micro-batch draws what the whole batch draws for these samples, if key.sample is the number of its first one.
// y = dropout(x, p, key): dx = dropout(dy, p, key). Nothing is saved for it, the same elements are drawn again.
Tensor dropout(const Tensor& x, double p, const RandomKey& key);

// The same from plain ops: the definition.
Tensor dropout_reference(const Tensor& x, double p, const RandomKey& key);

// For the backends: y, x (samples, tokens, channels); what is kept is scaled.
namespace kernels {
template <class E> inline Kernel<void(E* y, const E* x, const KeepDraws& draws, E scale)> dropout{"dropout"};
}  // namespace kernels

}  // namespace heed
