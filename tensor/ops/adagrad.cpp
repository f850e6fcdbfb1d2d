#include "tensor/ops/adagrad.h"

#include "tensor/ops/flat_step.h"

namespace heed {

void adagrad_into(const Tensor& w, const Tensor& s, const Tensor& gradient, const AdagradStep& step) {
  check_flat("adagrad", w, {{"s", &s}, {"the gradient", &gradient}});
  visit_maths("adagrad", w.dtype(), [&](auto tag) {
    using E = decltype(tag);
    kernels::adagrad<E>(w.device())(w.mutable_data<E>(), s.mutable_data<E>(), gradient.data<E>(), w.numel(), step);
  });
}

}  // namespace heed
