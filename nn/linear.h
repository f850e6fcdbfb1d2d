// Linear: y = x w^T + b.
#pragma once

#include "nn/context.h"
#include "nn/module.h"

namespace heed {

// x w^T + b as the context wants it: in f32, or with operands rounded to bf16 (autograd/ops/bf16.h).
Variable linear(const Variable& x, const Variable& w, const Variable& b, const Context& ctx);

class Linear : public Module {
 public:
  struct Options {
    bool bias = true;
    Init weight = init::fan_in();
  };

  Linear(long in, long out) : Linear(in, out, Options()) {}
  Linear(long in, long out, const Options& options);

  Variable forward(const Variable& x, Context& ctx);  // (..., in) -> (..., out)

  Variable& weight;       // (out, in)
  Variable bias() const;  // (out,), undefined without one

 private:
  Variable* bias_;
};

}  // namespace heed
