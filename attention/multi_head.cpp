#include "attention/multi_head.h"

#include "attention/heads.h"
#include "attention/key_value_state.h"
#include "autograd/ops/bf16.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/views.h"
#include "nn/mixing/padding.h"

namespace heed {
namespace {

// The rows first .. end of W and of b: a projection to some of the channels
Variable projected(const Variable& x, const Linear& in, long first, long end, const Context& ctx) {
  return linear(x, slice(in.weight, 0, first, end), in.bias().defined() ? slice(in.bias(), 0, first, end) : Variable(),
                ctx);
}

}  // namespace

struct MultiHead::Projected {
  Variable q, k, v;
  long first_key = 0;

  // What the core multiplies: in bf16 q, k and v are rounded, and so are their gradients.
  Projected operands(const Context& ctx) const {
    if (!ctx.bf16) return *this;
    return {bf16_operand(q, true), bf16_operand(k, true), bf16_operand(v, true), first_key};
  }
};

MultiHead::MultiHead(const MixerOptions& s, const CoreMaker& core)
    : options_(s),
      in_(child<Linear>("in", s.C, s.heads * s.head_width + s.key_heads * (s.head_width + s.value_width),
                        Linear::Options{.bias = s.bias, .weight = s.in})),
      out_(child<Linear>("out", s.heads * s.value_width, s.C, Linear::Options{.bias = s.bias, .weight = s.out})),
      core_(child_from("core", core)),
      queries_{s.heads, s.head_width},
      keys_{s.key_heads, s.head_width},
      values_{s.key_heads, s.value_width},
      positions_(s.head_width) {}

std::unique_ptr<State> MultiHead::start(long batch, long max_length) {
  if (!can().decode) return Mixer::start(batch, max_length);
  return std::make_unique<KeyValueState>(batch, max_length, core_.reach(), *this);
}

// q, k and v of x. With a state: behind the keys and values of before; gradients flow into those of now only.
MultiHead::Projected MultiHead::of_sequence(const Variable& x, const MixIn& in, const Context& ctx) {
  check_x(x);
  HeadPart q = queries_, k = keys_;
  const long before = in.state ? in.state->length() : 0;
  if (options_.rotary) q.table = k.table = positions_.rows(x.size(1), before, x.dtype(), x.value().device());
  const auto parts = split_heads(linear(x, in_.weight, in_.bias(), ctx), {q, k, values_});
  const Projected now{parts[0], parts[1], parts[2]};
  return in.state ? with_state(now, KeyValueState::of(*in.state, *this), in.mask) : now;
}

// q of x, k and v of the source; with a state these are made once, and then taken from it.
MultiHead::Projected MultiHead::of_source(const Variable& x, const MixIn& in, const Context& ctx) {
  check_x(x);
  check_source(x, *in.source);
  const long cut = queries_.heads * queries_.width, all = in_.weight.size(0);
  const Variable q = split_heads(projected(x, in_, 0, cut, ctx), {queries_})[0];
  KeyValueState* state = in.state ? &KeyValueState::of(*in.state, *this) : nullptr;
  if (state && state->has_source()) return {q, state->k(), state->v()};
  const auto parts = split_heads(projected(*in.source, in_, cut, all, ctx), {keys_, values_});
  if (state) state->keep_source(parts[0].value(), parts[1].value());
  return {q, parts[0], parts[1]};
}

void MultiHead::check_x(const Variable& x) const {
  HEED_CHECK(x.dims() == 3 && x.size(2) == options_.C, "attention", "x is ", x.shape(), "; it must be (B, T, ",
             options_.C, ")");
}

void MultiHead::check_source(const Variable& x, const Variable& y) const {
  HEED_CHECK(can().cross, "attention",
             "a source was given; this pattern is one of positions in one sequence and has no meaning across two. Use "
             "full");
  HEED_CHECK(y.dims() == 3 && y.size(0) == x.size(0) && y.size(2) == options_.C, "attention", "x is ", x.shape(),
             " and the source is ", y.shape(), "; it must be (B, S, C)");
}

// All checks are made before the state changes.
MultiHead::Projected MultiHead::with_state(const Projected& now, KeyValueState& kept, const Mask& mask) const {
  const long B = now.k.size(0), T = now.k.size(2), S = kept.keys_after(T), forgotten = kept.length() + T - S;
  kept.check_room(B, T);
  HEED_CHECK(forgotten == 0 || (!mask.segments.defined() && !mask.ranges.defined() && !mask.allow.defined() &&
                                !mask.lengths.defined()),
             "attention", forgotten,
             " tokens are out of reach and were forgotten; the mask must not have lengths, segments, ranges or single "
             "pairs any more");
  mask.check("attention", B, options_.heads, T, S);
  kept.append(now.k.value(), now.v.value());
  kept.advance(T);
  const bool keep_gradients = grad_enabled() && now.k.requires_grad();
  if (!keep_gradients) return {now.q, kept.k(), kept.v(), kept.first_key()};
  const auto past = [&](const Tensor& x) { return Variable(clone(slice(x, 2, 0, kept.keys() - T))); };
  return {now.q, concatenate({past(kept.k()), now.k}, 2), concatenate({past(kept.v()), now.v}, 2), kept.first_key()};
}

// In bf16 q, k, v and the gradient that arrives are rounded; what is made inside, the weights P and the gradients dS of
// the scores, stays f32.
Variable MultiHead::attend(const Projected& given, const Mask& mask, Context& ctx) {
  const Projected p = given.operands(ctx);
  const Variable o = core_.attend({p.q, p.k, p.v, p.first_key}, mask, ctx);
  return ctx.bf16 ? bf16_gradient(o) : o;
}

Variable MultiHead::forward(const Variable& x, const MixIn& in, Context& ctx) {
  const Projected p = in.source ? of_source(x, in, ctx) : of_sequence(x, in, ctx);
  const Variable y = out_.forward(joined_heads(attend(p, in.mask, ctx)), ctx);
  return in.source ? y : zero_padded_rows(y, in.mask.lengths, p.k.size(2));
}

Tensor MultiHead::weights(const Variable& x, const MixIn& in, Context& ctx) {
  HEED_CHECK(!in.state, "weights", "a state was given; weights are shown for a whole sequence");
  const Projected p = (in.source ? of_source(x, in, ctx) : of_sequence(x, in, ctx)).operands(ctx);
  return core_.weights({p.q, p.k, p.v}, in.mask, ctx);
}

}  // namespace heed
