// LayerNorm and RmsNorm: every row of x is brought to one scale; see tensor/ops/layer_norm.h.
#pragma once

#include "autograd/ops/layer_norm.h"
#include "nn/context.h"
#include "nn/module.h"

namespace heed {

// What both are; which one, its Centre says.
class Norm : public Module {
 public:
  Variable forward(const Variable& x, Context& ctx);  // (..., C) -> (..., C)
  // x + residual and the norm of it, in one pass: between two branches of a transformer
  SumAndNorm add(const Variable& x, const Variable& residual, Context& ctx);

  Variable& weight;       // (C,), ones at first, no decay
  Variable bias() const;  // (C,), zeros at first, no decay; undefined without one

 protected:
  Norm(Centre centre, long C, double epsilon, bool bias);

 private:
  Centre centre_;
  Variable* bias_;
  double epsilon_;
};

class LayerNorm : public Norm {
 public:
  struct Options {
    double epsilon = 1e-5;
    bool bias = true;
  };
  explicit LayerNorm(long C) : LayerNorm(C, Options()) {}
  LayerNorm(long C, const Options& o) : Norm(Centre::mean, C, o.epsilon, o.bias) {}
};

class RmsNorm : public Norm {
 public:
  struct Options {
    double epsilon = 1e-6;
    bool bias = false;
  };
  explicit RmsNorm(long C) : RmsNorm(C, Options()) {}
  RmsNorm(long C, const Options& o) : Norm(Centre::none, C, o.epsilon, o.bias) {}
};

}  // namespace heed
