// FeedForward: two linear layers with an activation between them, on every token alone.
//
//   plain:  y = out(f(in(x)))          in: C -> hidden, out: hidden -> C        relu, gelu, gelu_tanh, quick_gelu, silu
//   gated:  y = out(a * f(b))          in: C -> 2 hidden, cut into a and b      glu (f = sigmoid), reglu (relu),
//                                                                               geglu (gelu), swiglu (silu)
//
// In training dropout acts on the hidden channels. (Shazeer, 2020, compares the gated ones.)
#pragma once

#include <string>
#include <vector>

#include "nn/dropout.h"
#include "nn/linear.h"

namespace heed {

class FeedForward : public Module {
 public:
  struct Options {
    std::string activation = "gelu";
    bool bias = true;    // in both layers
    double dropout = 0;  // of the hidden channels
    Init in = init::fan_in();
    Init out = init::fan_in();  // init::depth_normal for a deep residual stack
  };

  // hidden: any size from 1; see usual_hidden.
  FeedForward(long C, long hidden) : FeedForward(C, hidden, Options()) {}
  FeedForward(long C, long hidden, const Options& options);

  Variable forward(const Variable& x, Context& ctx);  // (..., C) -> (..., C)

  // The customary width: 4 C for a plain activation; for a gated one, which has three matrices in place of two,
  // 8 C / 3 rounded up to a multiple of 8: about as many parameters.
  static long usual_hidden(long C, const std::string& activation);
  static const std::vector<std::string>& activations();  // their names

 private:
  struct Choice;
  static const Choice& find(const std::string& name);
  Variable hidden(const Variable& x, Context& ctx);  // (..., C) -> (..., hidden)
  const Choice& choice_;
  long hidden_;
  Linear &in_, &out_;
  Dropout& dropout_;
};

}  // namespace heed
