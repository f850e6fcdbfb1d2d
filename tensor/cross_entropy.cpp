#include "tensor/cross_entropy.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/indices.h"
#include "tensor/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_shapes(const Tensor& logits, const Tensor& targets) {
  check_defined("cross_entropy", logits);
  check_defined("cross_entropy", targets);
  Shape rows = logits.shape();
  if (rows.dims() > 0) rows.erase(rows.dims() - 1);
  HEED_CHECK(logits.dims() > 0 && rows == targets.shape(), "cross_entropy", "the logits are ", logits.shape(),
             " and the targets ", targets.shape(), "; with logits (..., V) the targets must be (...)");
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets) {
  check_shapes(logits, targets);
  return visit_maths("cross_entropy", logits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor index = checked_indices("cross_entropy", targets, logits.size(-1), logits.device());
    if (index.numel() == 0) return scalar(0, logits.dtype(), logits.device());
    Tensor in = contiguous(logits), losses = Tensor::empty({index.numel()}, logits.dtype(), logits.device());
    kernels::cross_entropy_rows<T>(logits.device())(losses.mutable_data<T>(), in.data<T>(), index.data<int64_t>(),
                                                    index.numel(), logits.size(-1));
    return mean(losses);
  });
}

Tensor cross_entropy_backward(const Tensor& dy, const Tensor& logits, const Tensor& targets) {
  check_shapes(logits, targets);
  check_same_kind("cross_entropy", dy, logits);
  HEED_CHECK(dy.numel() == 1, "cross_entropy", "dy is ", dy.shape(), "; the loss is a scalar and so is its gradient");
  return visit_maths("cross_entropy", logits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Tensor index = checked_indices("cross_entropy", targets, logits.size(-1), logits.device());
    Tensor in = contiguous(logits), dlogits = Tensor::empty(logits.shape(), logits.dtype(), logits.device());
    kernels::cross_entropy_rows_backward<T>(logits.device())(dlogits.mutable_data<T>(), dy.data<T>(), in.data<T>(),
                                                             index.data<int64_t>(), index.numel(), logits.size(-1));
    return dlogits;
  });
}

Tensor cross_entropy_reference(const Tensor& logits, const Tensor& targets) {
  Tensor shifted = logits - max(logits, {-1}, true);
  Tensor log_softmax = shifted - log(sum(exp(shifted), {-1}, true));
  return neg(mean(gather(log_softmax, -1, unsqueeze(targets, -1))));
}

}  // namespace heed
