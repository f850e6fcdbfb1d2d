// Embedding: a vector for every token, and the way back: with tied weights the same table turns vectors into logits.
#pragma once

#include "nn/context.h"
#include "nn/module.h"

namespace heed {

class Embedding : public Module {
 public:
  struct Options {
    Init weight = init::normal(0.02);
    double scale = 1;  // of what forward gives, sqrt(C) in the first Transformer; logits never scales
  };

  Embedding(long V, long C) : Embedding(V, C, Options()) {}
  Embedding(long V, long C, const Options& options);

  Variable forward(const Tensor& ids, Context& ctx);  // (B, T) -> (B, T, C): scale * weight[ids]
  // The tied head, (B, T, C) -> (B, T, V): x weight^T. Both uses are one parameter under one name, whose gradients
  // add up.
  Variable logits(const Variable& x, Context& ctx);

  Variable& weight;  // (V, C)

 private:
  double scale_;
};

}  // namespace heed
