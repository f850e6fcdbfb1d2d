#include "nn/convolution.h"

namespace heed {
namespace {

Shape weight_shape(long in, long out, long K, const Conv1dOptions& window) {
  HEED_CHECK(window.groups >= 1 && in % window.groups == 0 && out % window.groups == 0, "Conv1d", "in is ", in,
             ", out is ", out, " and groups is ", window.groups, "; groups must divide both");
  return {out, in / window.groups, K};
}

}  // namespace

Conv1d::Conv1d(long in, long out, long K, const Options& options)
    : weight(parameter("weight", weight_shape(in, out, K, options.window), options.weight)),
      bias_(options.bias ? &parameter("bias", {out}, init::zeros()) : nullptr),
      window_(options.window) {}

Variable Conv1d::bias() const { return bias_ ? *bias_ : Variable(); }

Variable Conv1d::forward(const Variable& x, Context&) { return conv1d(x, weight, bias(), window_); }

}  // namespace heed
