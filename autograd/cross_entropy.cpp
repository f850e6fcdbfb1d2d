#include "autograd/cross_entropy.h"

namespace heed {

Variable cross_entropy(const Variable& logits, const Tensor& targets) {
  return record("cross_entropy", cross_entropy(logits.value(), targets), {logits},
                [logits = Saved(logits), targets = Saved(targets)](const Tensor& dy) {
                  return cross_entropy_backward(dy, logits, targets);
                });
}

}  // namespace heed
