// Multi-head attention by its definition: plain loops in double over dense matrices, with the weights of a given mixer.
#pragma once

#include "tests/oracle/oracle.h"

struct DenseAttention {
  heed::Tensor out;      // (B, T, C) f64
  heed::Tensor weights;  // (B, H, T, S) f64
};

// What mixer.forward(x, {.source = &source, .mask = mask}) and its weights must be. source: undefined for
// self-attention.
DenseAttention dense_attention(const std::string& spec, const heed::MixerOptions& sizes, heed::Mixer& mixer,
                               const heed::Tensor& x, const heed::Tensor& source, const heed::Mask& mask);

// The oracle's visible pairs within the mask, boolean (B, H, T, S).
heed::Tensor dense_visible(const std::string& spec, const heed::Mask& mask, const heed::Shape& B_H_T_S);

heed::Tensor parameter_of(heed::Module& module, const std::string& path);  // undefined: there is none
