#include "tensor/ops/sgd.h"

#include "tensor/ops/flat_step.h"

namespace heed {

void sgd_into(const Tensor& w, const Tensor& v, const Tensor& gradient, const SgdStep& step) {
  check_flat("sgd", w, {{"v", &v}, {"the gradient", &gradient}});
  visit_maths("sgd", w.dtype(), [&](auto tag) {
    using T = decltype(tag);
    kernels::sgd<T>(w.device())(w.mutable_data<T>(), v.mutable_data<T>(), gradient.data<T>(), w.numel(), step);
  });
}

}  // namespace heed
