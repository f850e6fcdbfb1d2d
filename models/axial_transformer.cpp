#include "models/axial_transformer.h"

#include <algorithm>

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/views.h"
#include "models/orderings.h"
#include "tensor/create.h"

namespace heed {
namespace {

const AxialTransformerOptions& checked(const AxialTransformerOptions& o) {
  check_sizes("axial model", {o.colours, o.rows, o.columns, o.classes});
  HEED_CHECK(!o.stack.rotary, "axial model",
             "rotary positions were asked for; this model knows where a pixel is by a vector for its row and one for "
             "its column");
  check_language_ordering("axial model", o.stack.ordering);
  return o;
}

StackOptions stack_of(const AxialTransformerOptions& o, const std::string& attention) {
  StackOptions stack = o.stack;
  stack.attention = attention, stack.activation = "quick_gelu";
  stack.max_length = o.rows * o.columns, stack.grid = {o.rows, o.columns};
  return stack;
}

StackOptions outer_of(const AxialTransformerOptions& o) {
  StackOptions stack = stack_of(o, "axial:axis=rows;axial:axis=columns,causal=yes");
  if (std::count(stack.ordering.begin(), stack.ordering.end(), 's') % 2 != 0) stack.ordering += "sf";
  return stack;
}

}  // namespace

// All but keys and values: the pixels of the row so far, and what the outer decoder says of the rows above it.
struct AxialTransformer::Row : State {
  using State::State;
  long inner_states = 0;  // that come first in the StackState
  Tensor pixels = {};     // i64 (B, c); undefined: none yet
  Tensor above = {};      // (B, columns, C); undefined: it is the first row

  void reset() override { State::reset(), pixels = above = {}; }
  Tensors tensors() const override {
    Tensors all;
    if (pixels.defined()) all.emplace_back("pixels", pixels);
    if (above.defined()) all.emplace_back("above", above);
    return all;
  }
  void take(const Tensors& from) override {
    pixels = contiguous_or_none(named(from, "pixels")), above = contiguous_or_none(named(from, "above"));
  }
};

// One StackState has the states of the inner decoder, those of the outer one, and the Row. As long as this lives they
// are apart.
struct AxialTransformer::Parts {
  StackState &all, inner = {}, outer = {};
  Row& row;

  Parts(StackState& state, const AxialTransformer& model)
      : all(state), row(State::of<Row>(*state.states.back(), model)) {
    const auto move = [&](StackState& to, long begin, long end) {
      for (long i = begin; i < end; i++) to.states.push_back(std::move(all.states[size_t(i)]));
    };
    move(inner, 0, row.inner_states);
    move(outer, row.inner_states, long(all.states.size()) - 1);
  }
  ~Parts() {
    auto to = std::move(inner.states.begin(), inner.states.end(), all.states.begin());
    std::move(outer.states.begin(), outer.states.end(), to);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
};

AxialTransformer::AxialTransformer(const AxialTransformerOptions& o)
    : colours_(checked(o).colours),
      classes_(o.classes),
      columns_(o.columns),
      order_("raster", o.rows, o.columns),
      tokens_(child<Embedding>("tokens", o.colours, o.stack.C)),
      positions_(
          child<AxialPositions>("positions", Shape{o.rows, o.columns}, o.stack.C,
                                AxialPositions::Options{.sum = true, .weight = init::normal(kPixelPositionDeviation)})),
      outer_(child<Stack>("outer", outer_of(o))),
      inner_(child<Stack>("inner", stack_of(o, "axial:axis=rows"))),
      head_(child<Linear>("head", o.stack.C, o.colours, Linear::Options{.bias = false, .weight = init::zeros()})) {
  if (classes_ > 0) class_ = &parameter("class", {classes_, o.stack.C}, init::normal(kPixelTokenDeviation));
}

Variable AxialTransformer::told(const Variable& x, const Tensor& labels) {
  if (classes_ == 0) return x;
  check_labels("axial model", labels, classes_, x.size(0));
  return x + unsqueeze(embedding(*class_, labels), 1);
}

Variable AxialTransformer::placed(const Variable& x, const Tensor& labels, long place, Context& ctx) {
  return told(positions_.forward(x, ctx, place), labels);
}

Variable AxialTransformer::nothing(const Variable& like, long B, long T) {
  return Variable(zeros({B, T, like.size(-1)}, like.dtype(), like.value().device()));
}

Variable AxialTransformer::forward(const Tensor& pixels, const In& in, Context& ctx) {
  HEED_CHECK(in.hidden.window_left < 0 && in.hidden.window_right < 0 && !in.hidden.of_batch() && !in.hidden.causal,
             "axial model",
             "a mask was given (a phase of the schedule with a window?); its attentions see whole rows and columns. "
             "Leave it away");
  const Tensor ids = order_.ordered(pixels);
  const long B = ids.size(0), n = ids.size(1), W = columns_;
  const Variable h = tokens_.forward(ids, ctx);
  const Variable u = outer_.forward(placed(h, in.labels, 0, ctx), {.inputs = in.inputs}, ctx);
  const Variable above = concatenate({nothing(u, B, W), slice(u, 1, 0, n - W)}, 1);
  const Variable rows = reshape(h, {B * n / W, W, u.size(2)});
  const Variable left = reshape(concatenate({nothing(u, B * n / W, 1), slice(rows, 1, 0, W - 1)}, 1), u.shape());
  const Variable x = placed(left + above, in.labels, 0, ctx);
  return head_.forward(inner_.forward(x, {.mask = causal_mask(), .inputs = in.inputs}, ctx), ctx);
}

StackState AxialTransformer::start(long batch, long max_length) {
  const long most = std::min(max_length, order_.size());
  StackState all = inner_.start(batch, most), outer = outer_.start(batch, most);
  auto row = std::make_unique<Row>(batch, most, *this);
  row->inner_states = long(all.states.size());
  for (auto& state : outer.states) all.states.push_back(std::move(state));
  all.states.push_back(std::move(row));
  return all;
}

// Logits of place `known`, the first whose pixel is not known. Places from `offset` on go through the inner decoder,
// row by row; where a row begins, the outer decoder first takes in the row above it.
Tensor AxialTransformer::next_logits(const Tensor& ids, const Tensor& labels, Context& ctx, StackState& state) {
  Parts parts(state, *this);
  Row& row = parts.row;
  const long W = columns_, B = ids.size(0), offset = row.length(), known = std::max(0L, offset - 1) + ids.size(1);
  HEED_CHECK(known >= offset, "axial model", "there is no pixel to go on from; only the first call may have none");
  row.check_room(B, known + 1 - offset);
  const long begin = std::max(0L, offset - 1) / W * W;  // the first pixel of the row so far
  const Tensor pixels = row.pixels.defined() ? concatenate({row.pixels, ids}, 1) : ids;
  const auto some = [&](long first, long end) { return slice(pixels, 1, first - begin, end - begin); };

  Variable h;
  for (long place = offset, end; place <= known; place = end) {
    const long column = place % W;
    end = std::min(known + 1, place - column + W);
    if (column == 0 && place > 0) {
      const Variable finished = placed(tokens_.forward(some(place - W, place), ctx), labels, place - W, ctx);
      row.above = outer_.forward(finished, {.state = &parts.outer}, ctx).value();
    }
    Variable x = tokens_.forward(some(place - std::min(column, 1L), end - 1), ctx);
    if (column == 0) x = concatenate({nothing(x, B, 1), x}, 1);
    if (row.above.defined()) x = x + Variable(slice(row.above, 1, column, column + end - place));
    x = placed(x, labels, place, ctx);
    h = inner_.forward(x, {.mask = causal_mask(), .state = &parts.inner}, ctx);
  }
  row.advance(known + 1 - offset);
  row.pixels = contiguous(some(known / W * W, known));
  return select(head_.forward(slice(h, 1, h.size(1) - 1, h.size(1)), ctx).value(), 1, 0);
}

}  // namespace heed
