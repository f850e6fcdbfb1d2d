#include "models/encoder.h"

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "system/nearest.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {
namespace {

// (B, T, 1): 1 / length for the tokens, 0 for padding; nothing but zeros where there are no tokens
Tensor mean_weights(const Tensor& lengths, long T, DType dtype) {
  const Tensor ends = reshape(lengths, {lengths.size(0), 1, 1});
  const Tensor places = reshape(arange(T, i64, lengths.device()), {1, T, 1});
  return cast(less(places, ends), dtype) / clamp(cast(ends, dtype), 1, double(std::max(1L, T)));
}

}  // namespace

Encoder::Encoder(const EncoderOptions& o)
    : input_(child<TokenInput>("input", TokenInputOptions{o.V, o.stack.C, o.positions, o.stack.max_length})),
      stack_(child<Stack>("stack", with_positions(o.stack, o.positions))),
      mean_(o.pool == "mean") {
  if (o.pool != "mean" && o.pool != "cls") fail_unknown("encoder", "pool", o.pool, {"mean", "cls"});
}

Variable Encoder::forward(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  const Mask mask = lengths.defined() ? length_mask(lengths) : Mask();
  return stack_.forward(input_.forward(ids, ctx), {.mask = mask}, ctx);
}

Variable Encoder::pooled(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  const Variable h = forward(ids, lengths, ctx);
  if (!mean_) return select(h, 1, 0);
  if (!lengths.defined()) return mean(h, {1});
  return sum(h * Variable(mean_weights(lengths, h.size(1), h.dtype())), {1});
}

}  // namespace heed
