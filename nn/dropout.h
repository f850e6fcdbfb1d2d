// Dropout: in training every element is zero with probability p, otherwise scaled by 1 / (1 - p).
#pragma once

#include "nn/context.h"
#include "nn/module.h"

namespace heed {

class Dropout : public Module {
 public:
  explicit Dropout(double p);  // 0 <= p < 1

  // (samples, tokens, channels), or as tensor/ops/dropout.h says. x itself unless ctx.train.
  Variable forward(const Variable& x, Context& ctx);

  const double p;
};

}  // namespace heed
