#include "models/igpt.h"

#include <algorithm>

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/views.h"
#include "models/orderings.h"
#include "system/nearest.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

const IgptOptions& checked(const IgptOptions& o) {
  check_sizes("igpt", {o.colours, o.rows, o.columns, o.classes});
  HEED_CHECK(!o.masked || o.classes == 0, "igpt",
             "a model of hidden pixels (masked) has no start to put the class into; leave one of the two away");
  const auto& names = pixel_position_names();
  if (std::find(names.begin(), names.end(), o.positions) == names.end())
    fail_unknown("igpt", "kind of positions", o.positions, names);
  check_language_ordering("igpt", o.stack.ordering);
  return o;
}

StackOptions stack_of(const IgptOptions& o, const Grid& grid) {
  StackOptions stack = o.stack;
  stack.norm = "rms", stack.bias = false, stack.activation = "quick_gelu";
  stack.rotary = o.positions == "rotary";
  stack.max_length = o.rows * o.columns;
  stack.grid = grid;
  return stack;
}

}  // namespace

const std::vector<std::string>& pixel_position_names() {
  static const std::vector<std::string> names = {"learned", "axial", "rotary", "none"};
  return names;
}

Igpt::Igpt(const IgptOptions& o)
    : colours_(checked(o).colours),
      classes_(o.classes),
      masked_(o.masked),
      attention_(o.stack.attention),
      order_(o.order, o.rows, o.columns),
      tokens_(child<Embedding>("tokens", o.colours, o.stack.C)),
      stack_(child<Stack>("stack", stack_of(o, order_.grid()))),
      head_(child<Linear>("head", o.stack.C, o.colours, Linear::Options{.bias = false, .weight = init::zeros()})) {
  const Init rows = init::normal(kPixelPositionDeviation);
  if (!masked_) start_ = &parameter("start", {std::max(classes_, 1L), o.stack.C}, init::normal(kPixelTokenDeviation));
  if (o.positions == "learned") learned_ = &child<LearnedPositions>("positions", order_.size(), o.stack.C, rows);
  if (o.positions == "axial")
    axial_ = &child<AxialPositions>("positions", Shape{o.rows, o.columns}, o.stack.C,
                                    AxialPositions::Options{.sum = true, .weight = rows});
  HEED_CHECK(masked_ || stack_.can().causal, "igpt", "the attention is '", attention_,
             "', which cannot be causal; a model that predicts pixels from those before must not look ahead");
}

Variable Igpt::starts(long B, const Tensor& labels) {
  HEED_CHECK(!masked_, "igpt",
             "this model fills in hidden pixels (masked) and predicts none from those before it: it "
             "cannot draw. Train one without");
  if (classes_ == 0) return unsqueeze(embedding(*start_, zeros({B}, i64)), 1);
  check_labels("igpt", labels, classes_, B);
  return unsqueeze(embedding(*start_, labels), 1);
}

Variable Igpt::placed(const Variable& x, Context& ctx, long offset) {
  if (!learned_ && !axial_) return x;
  if (order_.is_raster()) return learned_ ? learned_->forward(x, ctx, offset) : axial_->forward(x, ctx, offset);
  const long T = x.size(1);
  const Tensor pixels = from_vector(order_.pixels(), {1, order_.size()});
  const Tensor own = slice(pixels, 1, offset, offset + T);
  return learned_ ? learned_->forward(x, own) : axial_->forward(x, own);
}

Variable Igpt::forward(const Tensor& pixels, const In& in, Context& ctx) {
  const Tensor ids = order_.ordered(pixels);
  const Variable before = tokens_.forward(slice(ids, 1, 0, ids.size(1) - 1), ctx);
  const Variable x = placed(concatenate({starts(ids.size(0), in.labels), before}, 1), ctx, 0);
  return head_.forward(stack_.forward(x, {.mask = causal_mask() & in.hidden, .inputs = in.inputs}, ctx), ctx);
}

Variable Igpt::filled(const Tensor& pixels, const Tensor& hidden, const In& in, Context& ctx) {
  HEED_CHECK(masked_, "igpt",
             "this model predicts pixels from those before them; one that fills in hidden ones is "
             "trained with masked on");
  const Tensor seen = cast(logical_not(order_.ordered(hidden)), f32);
  const Variable known = tokens_.forward(order_.ordered(pixels), ctx);
  const Variable x = known * Variable(to(unsqueeze(seen, 2), known.value().device()));
  return head_.forward(stack_.forward(placed(x, ctx, 0), {.mask = in.hidden, .inputs = in.inputs}, ctx), ctx);
}

std::vector<Tensor> Igpt::features(const Tensor& pixels, Context& ctx) {
  HEED_CHECK(classes_ == 0, "igpt",
             "this model is told the class of a picture, so that its features give it away; "
             "probe one that is not");
  const NoGrad no_grad;
  std::vector<Tensor> inputs;
  StackIn in{.inputs = &inputs};
  Variable x = tokens_.forward(order_.ordered(pixels), ctx);
  if (!masked_) {
    in.mask = causal_mask();
    x = concatenate({starts(pixels.size(0), {}), slice(x, 1, 0, x.size(1) - 1)}, 1);
  }
  const Tensor last = stack_.forward(placed(x, ctx, 0), in, ctx).value();
  std::vector<Tensor> layers;
  for (const size_t i : stack_.block_begins()) layers.push_back(mean(inputs[i], {1}));
  layers.push_back(mean(last, {1}));
  return layers;
}

StackState Igpt::start(long batch, long max_length) { return stack_.start(batch, std::min(max_length, order_.size())); }

Tensor Igpt::next_logits(const Tensor& ids, const Tensor& labels, Context& ctx, StackState& state) {
  const long offset = state.length(), T = ids.size(1);
  std::vector<Variable> parts;
  if (offset == 0) parts.push_back(starts(ids.size(0), labels));
  if (T > 0) parts.push_back(tokens_.forward(ids, ctx));
  HEED_CHECK(!parts.empty(), "igpt", "there is no pixel to go on from; only the first call may have none");
  const Variable x = placed(parts.size() == 1 ? parts[0] : concatenate(parts, 1), ctx, offset);
  const Variable h = stack_.forward(x, {.mask = causal_mask(), .state = &state}, ctx);
  return select(head_.forward(slice(h, 1, h.size(1) - 1, h.size(1)), ctx).value(), 1, 0);
}

}  // namespace heed
