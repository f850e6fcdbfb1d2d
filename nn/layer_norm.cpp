#include "nn/layer_norm.h"

namespace heed {

LayerNorm::LayerNorm(long C, const Options& options)
    : weight(parameter("weight", {C}, init::ones(), false)),
      bias_(options.bias ? &parameter("bias", {C}, init::zeros(), false) : nullptr),
      epsilon_(options.epsilon) {}

Variable LayerNorm::bias() const { return bias_ ? *bias_ : Variable(); }

Variable LayerNorm::forward(const Variable& x, Context&) { return layer_norm(x, weight, bias(), epsilon_); }

SumAndNorm LayerNorm::add(const Variable& x, const Variable& residual, Context&) {
  return add_layer_norm(x, residual, weight, bias(), epsilon_);
}

RmsNorm::RmsNorm(long C, const Options& options)
    : weight(parameter("weight", {C}, init::ones(), false)),
      bias_(options.bias ? &parameter("bias", {C}, init::zeros(), false) : nullptr),
      epsilon_(options.epsilon) {}

Variable RmsNorm::bias() const { return bias_ ? *bias_ : Variable(); }

Variable RmsNorm::forward(const Variable& x, Context&) { return rms_norm(x, weight, bias(), epsilon_); }

SumAndNorm RmsNorm::add(const Variable& x, const Variable& residual, Context&) {
  return add_rms_norm(x, residual, weight, bias(), epsilon_);
}

}  // namespace heed
