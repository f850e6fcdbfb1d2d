// Adagrad (Duchi et al., 2011): optimiser "adagrad".
#include "tensor/ops/adagrad.h"

#include "system/error.h"
#include "train/optimiser.h"

namespace heed {
namespace {

class Adagrad : public Optimiser {
 public:
  Adagrad(const ParameterArena& arena, const OptimiserOptions& o)
      : Optimiser("Adagrad", arena, o.weight_decay.value_or(0), o.clip), epsilon_(o.epsilon.value_or(1e-10)) {
    HEED_CHECK(epsilon_ > 0, "Adagrad", "epsilon is ", epsilon_, "; it must be positive, such as 1e-10");
    remember("sum_of_squares");
  }

 private:
  void update(const Part& part) override {
    adagrad_into(
        part.weights, part.state[0], part.gradients,
        {.rate = part.rate, .epsilon = epsilon_, .l2 = part.weight_decay, .gradient_scale = part.gradient_scale});
  }

  double epsilon_;
};

const RegisteredOptimiser adagrad{maker_of<Adagrad>("adagrad")};

}  // namespace
}  // namespace heed
