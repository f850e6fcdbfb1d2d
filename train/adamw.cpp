#include "train/adamw.h"

#include "system/error.h"
#include "tensor/ops/adamw.h"

namespace heed {
namespace {

const RegisteredOptimiser adamw{maker_of<AdamW>("adamw")};
const RegisteredOptimiser adam{maker_of<Adam>("adam")};

}  // namespace

AdamW::AdamW(const ParameterArena& arena, const AdamWOptions& options) : AdamW("AdamW", arena, options, true) {}

AdamW::AdamW(const char* op, const ParameterArena& arena, const OptimiserOptions& o, bool decoupled)
    : Optimiser(op, arena, o.weight_decay.value_or(decoupled ? 0.01 : 0), o.clip),
      beta1_(o.beta1),
      beta2_(o.beta2),
      epsilon_(o.epsilon.value_or(1e-8)),
      decoupled_(decoupled) {
  for (double beta : {beta1_, beta2_})
    HEED_CHECK(beta >= 0 && beta < 1, op, "beta1 is ", beta1_, " and beta2 is ", beta2_,
               "; each must be at least 0 and below 1");
  HEED_CHECK(epsilon_ > 0, op, "epsilon is ", epsilon_, "; it must be positive, such as 1e-8");
  remember("m");
  remember("v");
}

void AdamW::update(const Part& part) {
  adamw_into(part.weights, part.state[0], part.state[1], part.gradients,
             {.rate = part.rate,
              .beta1 = beta1_,
              .beta2 = beta2_,
              .epsilon = epsilon_,
              .weight_decay = decoupled_ ? part.weight_decay : 0,
              .l2 = decoupled_ ? 0 : part.weight_decay,
              .gradient_scale = part.gradient_scale,
              .step = part.step});
}

}  // namespace heed
