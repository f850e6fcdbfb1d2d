#include "autograd/cross_entropy.h"

namespace heed {

Variable cross_entropy(const Variable& logits, const Tensor& targets) { return cross_entropy(logits, targets, {}); }

Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  return record("cross_entropy", cross_entropy(logits.value(), targets, options), {logits},
                [logits = Saved(logits), targets = Saved(targets), options](const Tensor& dy) {
                  return cross_entropy_backward(dy, logits, targets, options);
                });
}

}  // namespace heed
