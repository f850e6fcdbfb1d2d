// Cross-entropy on Variables; see tensor/ops/cross_entropy.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/cross_entropy.h"

namespace heed {

Variable cross_entropy(const Variable& logits, const Tensor& targets);  // (..., V), (...) -> scalar, in nats
Variable cross_entropy(const Variable& logits, const Tensor& targets, const CrossEntropyOptions& options);

}  // namespace heed
