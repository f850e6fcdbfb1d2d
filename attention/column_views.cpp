#include "attention/column_views.h"

#include "attention/heads.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/views.h"
#include "system/text.h"
#include "tensor/create.h"

namespace heed {
namespace {

Mask side_mask(bool before, const KeysApart& keys, Context& ctx) {
  const long apart = keys.apart, T = keys.T, S = keys.S;
  const auto make = [=] {
    std::vector<int64_t> ranges;
    for (long p = S - T; p < S; p++) {
      ranges.push_back(before ? 0 : p + apart);
      ranges.push_back(before ? p - apart : S - 1);
    }
    return from_vector(ranges, {1, T, 2});
  };
  if (T != S) return range_mask(make());  // decoding: the next tokens have more keys
  const std::string name = format("%ld %s the own of %ld", apart, before ? "before" : "after", T);
  return range_mask(*ctx.plan<Tensor>(name, make));
}

}  // namespace

Variable refolded(const Variable& x, long batch, long tokens, long heads) {
  Shape cut = {batch, tokens, heads};
  if (x.dims() == 4) cut = {batch, tokens, heads, x.size(3)};
  return transpose(reshape(transpose(x, 1, 2), cut), 1, 2);
}

bool whole_rows(const Heads& heads, const Mask& mask, long W) {
  const long T = heads.q.size(2), first = heads.k.size(2) - T + heads.first_key;
  return T > 0 && T % W == 0 && first % W == 0 && !mask.of_batch() && mask.window_left < 0 && mask.window_right < 0;
}

SoftmaxOutputs refolded_attention(const Heads& heads, const Mask& mask, const Shape& B_H_T, Context& ctx) {
  const Visible visible = visible_pairs_once(ctx, mask, {}, pairs_of(heads), heads.q.value().device());
  const SoftmaxOutputs y = softmax_attention({heads.q, heads.k, heads.v}, visible);
  const auto back = [&](const Variable& x) { return refolded(x, B_H_T[0], B_H_T[2], B_H_T[1]); };
  return {back(y.o), back(y.L)};
}

std::vector<SoftmaxOutputs> column_attention(const Heads& heads, const Mask& mask, long W, long apart, Context& ctx) {
  const long B = heads.q.size(0), H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
  const auto columns = [&](const Variable& x) { return refolded(x, B, x.size(2) / W, W * x.size(1)); };
  const Variable q = columns(heads.q), k = columns(heads.k), v = columns(heads.v);
  const Heads folded = heads.with(q, k, v);
  if (apart == 0) return {refolded_attention(folded, mask, {B, H, T}, ctx)};
  return both_sides(mask, {apart, T / W, S / W}, ctx, [&](const Mask& side) {
    return refolded_attention(folded, side, {B, H, T}, ctx);
  });
}

std::vector<SoftmaxOutputs> both_sides(const Mask& mask, const KeysApart& keys, Context& ctx,
                                       const std::function<SoftmaxOutputs(const Mask& side)>& attend) {
  std::vector<SoftmaxOutputs> parts = {attend(mask & side_mask(true, keys, ctx))};
  if (!mask.causal) parts.push_back(attend(mask & side_mask(false, keys, ctx)));
  return parts;
}

}  // namespace heed
