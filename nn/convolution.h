// Conv1d: a convolution over length, channels last; see tensor/ops/convolution.h.
#pragma once

#include "autograd/ops/convolution.h"
#include "nn/context.h"
#include "nn/module.h"

namespace heed {

class Conv1d : public Module {
 public:
  struct Options {
    Conv1dOptions window;  // stride, padding, dilation, groups: {.window = {.stride = 2}}
    bool bias = true;
    Init weight = init::fan_in();
  };

  Conv1d(long in, long out, long K) : Conv1d(in, out, K, Options()) {}
  Conv1d(long in, long out, long K, const Options& options);

  Variable forward(const Variable& x, Context& ctx);  // (B, T, in) -> (B, T', out)

  Variable& weight;       // (out, in / groups, K)
  Variable bias() const;  // (out,), undefined without one

 private:
  Variable* bias_;
  Conv1dOptions window_;
};

}  // namespace heed
