#include "autograd/ops/cross_entropy.h"

#include <utility>

namespace heed {

Variable cross_entropy(const Variable& logits, const Tensor& targets) { return cross_entropy(logits, targets, {}); }

Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const bool wanted = grad_enabled() && logits.requires_grad();
  const auto both = wanted ? cross_entropy_with_gradient(logits.value(), targets, options)
                           : LossWithGradient{cross_entropy(logits.value(), targets, options), {}};
  return record("cross_entropy", both.loss, {logits},
                [dlogits = Saved(both.dlogits), reduction = options.reduction](const Tensor& dy) mutable {
                  const Saved last = std::exchange(dlogits, {});  // the gradient itself: nobody else keeps it
                  return cross_entropy_backward(dy, last, reduction);
                });
}

}  // namespace heed
