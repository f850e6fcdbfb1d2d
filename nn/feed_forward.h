// FeedForward: two linear layers with an activation between them, on every token alone.
//
//   plain:  y = out(f(in(x)))          in: C -> hidden, out: hidden -> C        relu, gelu, gelu_tanh, quick_gelu, silu
//   gated:  y = out(a * f(b))          in: C -> 2 hidden, cut into a and b      glu (f = sigmoid), reglu (relu),
//                                                                               geglu (gelu), swiglu (silu)
//
// In training dropout acts on the hidden channels. (Shazeer, 2020, compares the gated ones.)
//
// With chunks the tokens are cut into so many parts, one computed after the other, and each once more in backward: the
// same result, and the hidden activations, the widest of a transformer, exist for one part at a time.
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
    long chunks = 1;     // of the tokens; of the samples while dropout is on, whose draws count tokens
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
  Variable hidden(const Variable& x, Context& ctx);                           // (..., C) -> (..., hidden)
  Variable gated(const Variable& h) const;                                    // (..., 2 hidden) -> (..., hidden)
  Variable part(const Variable& x, const RandomKey& key, Context& ctx);       // of some of the tokens
  Variable in_chunks(const Variable& x, const RandomKey& key, Context& ctx);  // all of them, part by part
  bool drops(const Context& ctx) const { return ctx.train && dropout_.p > 0; }
  const Choice& choice_;
  long hidden_, chunks_;
  Linear &in_, &out_;
  Dropout& dropout_;
};

}  // namespace heed
