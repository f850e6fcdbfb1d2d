#include "tensor/ops/adamw.h"

#include "tensor/ops/flat_step.h"

namespace heed {

void adamw_into(const Tensor& w, const Tensor& m, const Tensor& v, const Tensor& gradient, const AdamWStep& step) {
  check_flat("adamw", w, {{"m", &m}, {"v", &v}, {"the gradient", &gradient}});
  HEED_CHECK(step.step >= 1, "adamw", "the step is ", step.step, "; steps count from 1");
  visit_maths("adamw", w.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::adamw<E>(w.device())(w.mutable_data<E>(), m.mutable_data<E>(), v.mutable_data<E>(), gradient.data<E>(),
                                  w.numel(), step);
  });
}

}  // namespace heed
