#include "tensor/ops/sgd.h"

#include "tensor/ops/flat_step.h"

namespace heed {

void sgd_into(const Tensor& w, const Tensor& v, const Tensor& gradient, const SgdStep& step) {
  check_flat("sgd", w, {{"v", &v}, {"the gradient", &gradient}});
  visit_maths("sgd", w.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::sgd<E>(w.device())(w.mutable_data<E>(), v.mutable_data<E>(), gradient.data<E>(), w.numel(), step);
  });
}

}  // namespace heed
