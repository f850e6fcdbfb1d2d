// The definition of linear attention: the dense matrix a, (B, H, T, S), in plain ops.
#include <limits>

#include "attention/engines/linear_engine.h"
#include "attention/heads.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "nn/mixing/mask.h"
#include "nn/mixing/padding.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Zeros in the keys and values of padding: in the values too, since 0 times NaN is NaN.
LinearInputs without_padding(const LinearInputs& in, const Tensor& lengths) {
  if (!lengths.defined()) return in;
  const long B = in.k.size(0), S = in.k.size(2);
  const Tensor padded = reshape(padding(lengths, S, S), {B, 1, S, 1});
  const auto filled = [&](const Variable& x) { return masked_fill(x, expand(padded, x.shape()), 0); };
  return {in.q, filled(in.k), filled(in.v)};
}

// above (..., Dv) / (below (..., 1) + epsilon). Without epsilon a row whose denominator is 0, or so small that its
// inverse may overflow, is zeros and has no gradient.
Variable quotient(const Variable& above, const Variable& below, double epsilon) {
  if (epsilon > 0) return above / (below + epsilon);
  const double least = below.dtype() == f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const Tensor nothing = less(abs(below.value()), least);
  return masked_fill(above / masked_fill(below, nothing, 1), expand(nothing, above.shape()), 0);
}

}  // namespace

Variable linear_attention_reference(const LinearInputs& given, const LinearOptions& options) {
  check_linear_attention(given, options);
  const LinearInputs in = without_padding(given, options.lengths);
  const long B = in.q.size(0), H = in.q.size(1), T = in.q.size(2), S = in.k.size(2);
  const Variable all = matmul(in.q, transpose(for_all_heads(in.k, H)));
  const Mask mask{.causal = options.causal, .segments = options.segments};
  const Variable a = masked_fill(all, logical_not(mask.dense(B, H, T, S)), 0);
  return quotient(matmul(a, for_all_heads(in.v, H)), sum(a, {-1}, true), options.epsilon);
}

}  // namespace heed
