#include "attention/core.h"

namespace heed {

std::unique_ptr<State> Core::start(long, long) { return nullptr; }

Tensor Core::weights(const Heads&, const Mask&, Context&) {
  fail("attention", "this attention has no dense map of weights to show");
}

std::vector<Look> Core::looks(const Heads& heads, const Mask& mask, Context& ctx) {
  return {{"weights", weights(heads, mask, ctx)}};
}

}  // namespace heed
