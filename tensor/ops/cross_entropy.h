// Cross-entropy: the loss of a classifier or language model, in nats.
#pragma once

#include <optional>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

inline constexpr long kNoTarget = -1;  // what stands where nothing is to be predicted: {.ignore = kNoTarget}

enum class LossReduction { mean, sum, none };

struct CrossEntropyOptions {
  std::optional<long> ignore = {};                // rows with this target do not count: {.ignore = -1}
  double label_smoothing = 0;                     // this share of the target is spread over all classes; 0..1
  LossReduction reduction = LossReduction::mean;  // over the rows that count; none: one loss per row
};

// logits (..., V), targets (...) in 0..V-1 -> scalar: the mean of -log softmax(logits)[target]; of no rows: 0.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets);
// With s = label_smoothing a row costs -sum_v q_v log softmax(logits)_v, q = (1 - s) one_hot(target) + s / V. A row
// that is ignored costs 0, whatever its logits are. reduction none -> (...).
Tensor cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options);
// The loss together with its gradient, in one pass: dlogits = (softmax(logits) - q) / rows that count (mean), 0 in
// ignored rows. With the gradient dy that arrives at the loss, that of the logits is dy * dlogits; for none dy is
// (...).
struct LossWithGradient {
  Tensor loss, dlogits;
};
LossWithGradient cross_entropy_with_gradient(const Tensor& logits, const Tensor& targets,
                                             const CrossEntropyOptions& options = {});
Tensor cross_entropy_backward(const Tensor& dy, const Tensor& dlogits, LossReduction reduction);
// The same from the logits again.
Tensor cross_entropy_backward(const Tensor& dy, const Tensor& logits, const Tensor& targets,
                              const CrossEntropyOptions& options = {});

// The same from plain ops: the definition.
Tensor cross_entropy_reference(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

// For the backends: logits (rows, V); losses, targets (rows), a target of -1 is ignored. dlogits (rows, V) may be null:
// scale * (softmax - q).
namespace kernels {
struct CrossEntropySizes {
  long rows, V;
  double smoothing, scale;
};
template <class E>
inline Kernel<void(E* losses, E* dlogits, const E* logits, const int64_t* targets, const CrossEntropySizes& s)>
    cross_entropy_rows{"cross_entropy"};
}  // namespace kernels

}  // namespace heed
