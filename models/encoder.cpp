#include "models/encoder.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/mixing/padding.h"
#include "system/nearest.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

// (B, T, 1): 1 / length for the tokens, 0 for padding
Tensor mean_weights(const Tensor& lengths, long T, DType dtype) {
  const Tensor shares = reshape(1.0 / cast(lengths, dtype), {lengths.size(0), 1});
  return unsqueeze(masked_fill(expand(shares, {lengths.size(0), T}), padding(lengths, T, T), 0), 2);
}

}  // namespace

Encoder::Encoder(const EncoderOptions& o)
    : input_(child<TokenInput>("input", TokenInputOptions{o.V, o.stack.C, o.positions, o.stack.max_length})),
      stack_(child<Stack>("stack", with_positions(o.stack, o.positions))),
      mean_(o.pool == "mean") {
  if (o.pool != "mean" && o.pool != "cls") fail_unknown("encoder", "pool", o.pool, {"mean", "cls"});
}

Variable Encoder::forward(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  return forward(ids, lengths.defined() ? length_mask(lengths) : Mask(), nullptr, ctx);
}

Variable Encoder::forward(const Tensor& ids, const Mask& mask, const Tokens* tokens, Context& ctx) {
  return stack_.forward(input_.forward(ids, tokens, ctx), {.mask = mask, .tokens = tokens}, ctx);
}

Variable Encoder::pooled(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  const Variable h = forward(ids, lengths, ctx);
  if (!mean_) return select(h, 1, 0);
  if (!lengths.defined()) return mean(h, {1});
  return sum(h * Variable(to(mean_weights(to(lengths, cpu), h.size(1), h.dtype()), h.value().device())), {1});
}

}  // namespace heed
