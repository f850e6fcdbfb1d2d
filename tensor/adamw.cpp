#include "tensor/adamw.h"

#include <utility>

namespace heed {

void adamw_into(const Tensor& w, const Tensor& m, const Tensor& v, const Tensor& gradient, const AdamWStep& step) {
  for (auto [name, x] : {std::pair("w", &w), {"m", &m}, {"v", &v}, {"the gradient", &gradient}}) {
    check_same_kind("adamw", w, *x);
    HEED_CHECK(w.shape() == x->shape(), "adamw", "w is ", w.shape(), " and ", name, " is ", x->shape(),
               "; all must have one shape");
    HEED_CHECK(x->is_contiguous(), "adamw", name, " is ", x->shape(), " with strides ", x->strides(),
               "; it must be row-major, because the step runs over flat arrays in place");
  }
  HEED_CHECK(step.step >= 1, "adamw", "the step is ", step.step, "; steps count from 1");
  visit_maths("adamw", w.dtype(), [&](auto tag) {
    using T = decltype(tag);
    kernels::adamw<T>(w.device())(w.mutable_data<T>(), m.mutable_data<T>(), v.mutable_data<T>(), gradient.data<T>(),
                                  w.numel(), step);
  });
}

}  // namespace heed
