#include "nn/mixing/mixer.h"

namespace heed {
namespace {

// How to speak of a mixer in an error: by its place in the model.
std::string title(const Mixer& mixer) {
  return mixer.path().empty() ? "this mixer" : "the mixer '" + mixer.path() + "'";
}

}  // namespace

Capabilities operator&(const Capabilities& a, const Capabilities& b) {
  return {.causal = a.causal && b.causal,
          .strictly_causal = a.strictly_causal && b.strictly_causal,
          .padding = a.padding && b.padding,
          .cross = a.cross && b.cross,
          .decode = a.decode && b.decode,
          .exact = a.exact && b.exact,
          .rotary = a.rotary && b.rotary,
          .needs_max_length = a.needs_max_length || b.needs_max_length,
          .random = a.random || b.random,
          .widens = a.widens || b.widens};
}

std::unique_ptr<State> Mixer::start(long, long) {
  fail("start", title(*this), " keeps no state: token-by-token decoding is not defined for it; use it in an encoder");
}

Tensor Mixer::weights(const Variable&, const MixIn&, Context&) {
  fail("weights", title(*this), " has no dense map of weights to show");
}

}  // namespace heed
