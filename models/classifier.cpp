#include "models/classifier.h"

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "system/nearest.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"

namespace heed {

Classifier::Classifier(const ClassifierOptions& o)
    : input_(child<TokenInput>("input", TokenInputOptions{o.V, o.stack.C, o.positions, o.stack.max_length})),
      stack_(child<Stack>("stack", with_positions(o.stack, o.positions))),
      head_(child<Linear>("head", o.stack.C, o.classes)),
      mean_(o.pool == "mean") {
  if (o.pool != "mean" && o.pool != "cls") fail_unknown("classifier", "pool", o.pool, {"mean", "cls"});
}

Variable Classifier::encode(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  const long T = ids.size(-1);
  const Mask mask = lengths.defined() ? length_mask(lengths) : Mask();
  const Variable h = stack_.forward(input_.forward(ids, ctx), {.mask = mask}, ctx);  // (B, T, C)
  if (!mean_) return select(h, 1, 0);
  if (!lengths.defined()) return mean(h, {1});
  // Weights (B, T, 1): 1 / length for the tokens, 0 for padding
  Tensor weights = Tensor::empty({ids.size(0), T, 1}, h.dtype());
  visit_maths("classifier", h.dtype(), [&](auto tag) {
    using E = decltype(tag);
    for (long b = 0; b < ids.size(0); b++)
      for (long t = 0; t < T; t++) {
        const long length = long(lengths.at({b}));
        weights.mutable_data<E>()[b * T + t] = t < length ? E(1) / E(length) : E(0);
      }
  });
  return sum(h * Variable(weights), {1});
}

Variable Classifier::forward(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  return head_.forward(encode(ids, lengths, ctx), ctx);
}

TwoTower::TwoTower(const ClassifierOptions& o)
    : tower_(child<Classifier>("tower", o)),
      hidden_(child<Linear>("hidden", 4 * o.stack.C, o.stack.C)),
      head_(child<Linear>("head", o.stack.C, o.classes)) {}

Variable TwoTower::forward(const Tensor& a, const Tensor& a_lengths, const Tensor& b, const Tensor& b_lengths,
                           Context& ctx) {
  const Variable x = tower_.encode(a, a_lengths, ctx), y = tower_.encode(b, b_lengths, ctx);
  return head_.forward(gelu(hidden_.forward(concatenate({x, y, x * y, x - y}, -1), ctx)), ctx);
}

}  // namespace heed
