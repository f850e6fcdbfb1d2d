// A small stack, tokens for it and parameters that are not zero: what tests of models begin with.
#pragma once

#include <string>

#include "models/stack.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/random.h"

constexpr double kRounding = 1e-5;  // f32, some layers deep

inline heed::StackOptions small(const std::string& ordering = "sfsf", bool pre_norm = true) {
  return {.C = 16, .heads = 2, .ordering = ordering, .pre_norm = pre_norm, .max_length = 64};
}

inline heed::Tensor some_ids(long B, long T, long V = 11) {
  return heed::cast(heed::uniform({B, T}, {.seed = 7}, 0, double(V) - 0.01), heed::i64);
}

// Gives all parameters values, also the biases that begin as zeros.
inline void shake(heed::Module& model) {
  uint32_t seed = 100;
  for (heed::Parameter* p : model.parameters())
    p->value.set_value(p->value.value() + heed::randn(p->value.shape(), seed++) * 0.1);
}
