// Stochastic gradient descent with momentum: optimiser "sgd".
#include "tensor/ops/sgd.h"

#include "system/error.h"
#include "train/optimiser.h"

namespace heed {
namespace {

class Sgd : public Optimiser {
 public:
  Sgd(const ParameterArena& arena, const OptimiserOptions& o)
      : Optimiser("SGD", arena, o.weight_decay.value_or(0), o.clip), momentum_(o.momentum), nesterov_(o.nesterov) {
    HEED_CHECK(momentum_ >= 0 && momentum_ < 1, "SGD", "momentum is ", momentum_,
               "; it must be at least 0 and below 1");
    HEED_CHECK(!nesterov_ || momentum_ > 0, "SGD",
               "nesterov is on and momentum is 0; it needs a momentum, such as 0.9");
    remember("momentum");
  }

 private:
  void update(const Part& part) override {
    sgd_into(part.weights, part.state[0], part.gradients,
             {.rate = part.rate,
              .momentum = momentum_,
              .nesterov = nesterov_,
              .l2 = part.weight_decay,
              .gradient_scale = part.gradient_scale});
  }

  double momentum_;
  bool nesterov_;
};

const RegisteredOptimiser sgd{maker_of<Sgd>("sgd")};

}  // namespace
}  // namespace heed
