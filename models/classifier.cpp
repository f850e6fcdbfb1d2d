#include "models/classifier.h"

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"

namespace heed {
namespace {

EncoderOptions encoder_of(const ClassifierOptions& o) {
  return {.V = o.V, .stack = o.stack, .positions = o.positions, .pool = o.pool};
}

}  // namespace

Classifier::Classifier(const ClassifierOptions& o)
    : encoder_(child<Encoder>("encoder", encoder_of(o))), head_(child<Linear>("head", o.stack.C, o.classes)) {}

Variable Classifier::forward(const Tensor& ids, const Tensor& lengths, Context& ctx) {
  return head_.forward(encoder_.pooled(ids, lengths, ctx), ctx);
}

TwoTower::TwoTower(const ClassifierOptions& o)
    : tower_(child<Encoder>("tower", encoder_of(o))),
      hidden_(child<Linear>("hidden", 4 * o.stack.C, o.stack.C)),
      head_(child<Linear>("head", o.stack.C, o.classes)) {}

Variable TwoTower::forward(const Tensor& a, const Tensor& a_lengths, const Tensor& b, const Tensor& b_lengths,
                           Context& ctx) {
  const Variable x = tower_.pooled(a, a_lengths, ctx), y = tower_.pooled(b, b_lengths, ctx);
  return head_.forward(gelu(hidden_.forward(concatenate({x, y, x * y, x - y}, -1), ctx)), ctx);
}

}  // namespace heed
