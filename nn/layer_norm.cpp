#include "nn/layer_norm.h"

namespace heed {

Norm::Norm(Centre centre, long C, double epsilon, bool bias)
    : weight(parameter("weight", {C}, init::ones(), false)),
      centre_(centre),
      bias_(bias ? &parameter("bias", {C}, init::zeros(), false) : nullptr),
      epsilon_(epsilon) {}

Variable Norm::bias() const { return bias_ ? *bias_ : Variable(); }

Variable Norm::forward(const Variable& x, Context&) {
  if (centre_ == Centre::mean) return layer_norm(x, weight, bias(), epsilon_);
  return rms_norm(x, weight, bias(), epsilon_);
}

SumAndNorm Norm::add(const Variable& x, const Variable& residual, Context&) {
  return add_norm(centre_, x, residual, weight, bias(), epsilon_);
}

}  // namespace heed
