#include "nn/mixing/mixer.h"

namespace heed {
namespace {

// How to speak of a mixer in an error: by its place in the model.
std::string title(const Mixer& mixer) {
  return mixer.path().empty() ? "this mixer" : "the mixer '" + mixer.path() + "'";
}

}  // namespace

std::unique_ptr<State> Mixer::start(long, long) {
  fail("start", title(*this), " keeps no state: token-by-token decoding is not defined for it; use it in an encoder");
}

Tensor Mixer::weights(const Variable&, const MixIn&, Context&) {
  fail("weights", title(*this), " has no dense map of weights to show");
}

}  // namespace heed
