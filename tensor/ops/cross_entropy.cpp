#include "tensor/ops/cross_entropy.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr IndexNames kNames{"target", "targets"};

void check_arguments(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  check_defined("cross_entropy", logits);
  check_defined("cross_entropy", targets);
  Shape rows = logits.shape();
  if (rows.dims() > 0) rows.erase(rows.dims() - 1);
  HEED_CHECK(logits.dims() > 0 && rows == targets.shape(), "cross_entropy", "the logits are ", logits.shape(),
             " and the targets ", targets.shape(), "; with logits (..., V) the targets must be (...)");
  HEED_CHECK(options.label_smoothing >= 0 && options.label_smoothing <= 1, "cross_entropy", "label_smoothing is ",
             options.label_smoothing, "; the rule is 0 <= label_smoothing <= 1");
}

struct Targets {
  Tensor classes;  // i64, row-major; -1 where the row is ignored
  long counted = 0;
};

// Checks all targets but the ignored ones.
Targets counted_targets(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const long V = logits.size(-1);
  if (!options.ignore) return {checked_indices("cross_entropy", targets, V, logits.device(), kNames), targets.numel()};
  HEED_CHECK(is_integer(targets.dtype()), "cross_entropy", "the targets are ", targets.dtype(),
             "; they must be integers (i64, i32 or u8). Cast first: cast(x, i64)");
  Targets result{clone(cast(to(targets, cpu), i64))};
  int64_t* target = result.classes.mutable_data<int64_t>();
  std::vector<long> ignored;
  for (long i = 0; i < targets.numel(); i++)
    if (target[i] == *options.ignore) ignored.push_back(i), target[i] = 0;
  result.counted = targets.numel() - long(ignored.size());
  if (result.counted > 0) checked_indices("cross_entropy", result.classes, V, cpu, kNames);
  for (long i : ignored) result.classes.mutable_data<int64_t>()[i] = -1;
  result.classes = to(result.classes, logits.device());
  return result;
}

// What the losses (or their gradient) are divided by.
double divisor(const Targets& targets, const CrossEntropyOptions& options) {
  return options.reduction == LossReduction::mean ? double(std::max(targets.counted, 1L)) : 1;
}

LossWithGradient loss_of(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options,
                         bool with_gradient) {
  check_arguments(logits, targets, options);
  return visit_maths("cross_entropy", logits.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const Targets index = counted_targets(logits, targets, options);
    Tensor in = contiguous(logits), losses = Tensor::empty(targets.shape(), logits.dtype(), logits.device()), dlogits;
    if (with_gradient) dlogits = Tensor::empty(logits.shape(), logits.dtype(), logits.device());
    kernels::cross_entropy_rows<E>(logits.device())(
        losses.mutable_data<E>(), mutable_or_null<E>(dlogits), in.data<E>(), index.classes.data<int64_t>(),
        {targets.numel(), logits.size(-1), options.label_smoothing, 1 / divisor(index, options)});
    const bool each = options.reduction == LossReduction::none;
    return LossWithGradient{each ? losses : sum(losses) / divisor(index, options), dlogits};
  });
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets) { return cross_entropy(logits, targets, {}); }

Tensor cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  return loss_of(logits, targets, options, false).loss;
}

LossWithGradient cross_entropy_with_gradient(const Tensor& logits, const Tensor& targets,
                                             const CrossEntropyOptions& options) {
  return loss_of(logits, targets, options, true);
}

Tensor cross_entropy_backward(const Tensor& dy, const Tensor& dlogits, LossReduction reduction) {
  check_same_kind("cross_entropy", dy, dlogits);
  Shape rows = dlogits.shape();
  rows.erase(rows.dims() - 1);
  const bool each = reduction == LossReduction::none;
  HEED_CHECK(each || dy.numel() == 1, "cross_entropy", "dy is ", dy.shape(),
             "; the loss is a scalar and so is its gradient");
  HEED_CHECK(!each || dy.shape() == rows, "cross_entropy", "dy is ", dy.shape(), " and the targets are ", rows,
             "; with reduction none they must be equal");
  if (each) return mul(dlogits, unsqueeze(dy, -1));
  const bool whole = dy.device() == cpu && dy.item() == 1;  // the loss is the end of most graphs
  return whole ? dlogits : mul(dlogits, reshape(dy, {}));
}

Tensor cross_entropy_backward(const Tensor& dy, const Tensor& logits, const Tensor& targets,
                              const CrossEntropyOptions& options) {
  check_defined("cross_entropy", dy);
  return cross_entropy_backward(dy, cross_entropy_with_gradient(logits, targets, options).dlogits, options.reduction);
}

Tensor cross_entropy_reference(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  check_arguments(logits, targets, options);
  const Targets index = counted_targets(logits, targets, options);
  const double s = options.label_smoothing;
  const Tensor rows = reshape(logits, {targets.numel(), logits.size(-1)});
  Tensor losses = zeros({targets.numel()}, logits.dtype());
  for (long i = 0; i < targets.numel(); i++) {
    const long target = index.classes.data<int64_t>()[i];
    if (target < 0) continue;
    const Tensor shifted = select(rows, 0, i) - max(select(rows, 0, i));
    const Tensor log_softmax = shifted - log(sum(exp(shifted)));
    const Tensor hit = neg(select(log_softmax, 0, target));
    copy_into(select(losses, 0, i), s == 0 ? hit : hit * (1 - s) - mean(log_softmax) * s);
  }
  if (options.reduction == LossReduction::none) return reshape(losses, targets.shape());
  return sum(losses) / divisor(index, options);
}

}  // namespace heed
