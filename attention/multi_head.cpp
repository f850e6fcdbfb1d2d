#include "attention/multi_head.h"

#include "attention/heads.h"
#include "attention/key_value_state.h"
#include "autograd/ops/bf16.h"
#include "autograd/ops/views.h"
#include "nn/mixing/padding.h"

namespace heed {
namespace {

// The rows first .. end of W and of b: a projection to some of the channels
Variable rows_of(const Linear& in, const Variable& x, long first, long end, const Context& ctx) {
  return linear(x, slice(in.weight, 0, first, end), in.bias().defined() ? slice(in.bias(), 0, first, end) : Variable(),
                ctx);
}

long channels(const Projections& wants, const MixerOptions& s) {
  return (wants.queries ? s.heads * s.head_width : 0) + (wants.queries && wants.keys ? s.key_heads * s.head_width : 0) +
         s.key_heads * s.value_width;
}

}  // namespace

struct MultiHead::Projected {
  Variable q{}, k{}, v{};
  long first_key = 0, keys = 0;  // keys: all that queries may see, S of the mask
  State* own_state = nullptr;    // of the core

  // What the core multiplies: in bf16 q, k and v are rounded, and so are their gradients.
  Projected operands(const Context& ctx) const {
    if (!ctx.bf16) return *this;
    const auto rounded = [](const Variable& x) { return x.defined() ? bf16_operand(x, true) : x; };
    return {rounded(q), rounded(k), rounded(v), first_key, keys, own_state};
  }
  Heads heads(const Variable& x, const MixIn& in) const {
    const bool placed = in.tokens && in.tokens->positions.defined() && !in.source;
    const Tensor* positions = placed ? &in.tokens->positions : nullptr;
    return {q, k, v, first_key, positions, positions, &x, own_state, in.tokens, in.source != nullptr};
  }
};

MultiHead::MultiHead(const MixerOptions& s, const CoreMaker& core)
    : options_(s),
      core_(child_from("core", core)),
      wants_(core_.projections()),
      in_(child<Linear>("in", s.C, channels(wants_, s), Linear::Options{.bias = s.bias, .weight = s.in})),
      out_(child<Linear>("out", s.heads * s.value_width, s.C, Linear::Options{.bias = s.bias, .weight = s.out})),
      queries_{s.heads, s.head_width},
      keys_{s.key_heads, s.head_width},
      values_{s.key_heads, s.value_width},
      positions_(s.head_width) {
  HEED_CHECK(wants_.keys || !wants_.queries || s.key_heads == s.heads, "attention", "heads is ", s.heads,
             " and key_heads is ", s.key_heads, "; here keys are the queries, so that there are as many of both");
}

Capabilities MultiHead::can() const {
  Capabilities can = core_.can();
  if (can.decode && core_.reach() >= 0) can.bounded = true;
  return can;
}

std::unique_ptr<State> MultiHead::start(long batch, long max_length) {
  if (!can().decode) return Mixer::start(batch, max_length);
  if (auto own = core_.start(batch, max_length)) return own;
  return std::make_unique<KeyValueState>(batch, max_length, core_.reach(), *this);
}

Tensor MultiHead::rotations(const Variable& x, const MixIn& in) {
  if (!options_.rotary) return {};
  const Device device = x.value().device();
  if (in.tokens && in.tokens->positions.defined()) return positions_.at(in.tokens->positions, x.dtype(), device);
  return positions_.rows(x.size(1), in.state ? in.state->length() : 0, x.dtype(), device);
}

// q, k and v of x. With a state: behind the keys and values of before; gradients flow into those of now only.
MultiHead::Projected MultiHead::of_sequence(const Variable& x, const MixIn& in, const Context& ctx) {
  HeadPart q = queries_, k = keys_;
  q.table = k.table = rotations(x, in);
  std::vector<HeadPart> parts;
  if (wants_.queries) parts.push_back(q);
  if (wants_.queries && wants_.keys) parts.push_back(k);
  parts.push_back(values_);
  const auto made = split_heads(linear(x, in_.weight, in_.bias(), ctx), parts);
  Projected now{.v = made.back(), .keys = x.size(1)};
  if (wants_.queries) now.q = made[0], now.k = wants_.keys ? made[1] : made[0];
  if (!in.state) return now;
  if (in.state->is_of(core_)) return with_own_state(now, *in.state, in.mask);
  return with_state(now, State::of<KeyValueState>(*in.state, *this), in.mask);
}

// q of x, k and v of the source; with a state these are made once, and then taken from it.
MultiHead::Projected MultiHead::of_source(const Variable& x, const MixIn& in, const Context& ctx) {
  check_source(x, *in.source);
  const long cut = queries_.heads * queries_.width, all = in_.weight.size(0);
  Projected now{.q = split_heads(rows_of(in_, x, 0, cut, ctx), {queries_})[0], .keys = in.source->size(1)};
  const bool own = in.state && in.state->is_of(core_);
  KeyValueState* kept = in.state && !own ? &State::of<KeyValueState>(*in.state, *this) : nullptr;
  if (own) now.own_state = in.state;
  if (kept && kept->has_source()) now.k = kept->k(), now.v = kept->v();
  if (in.state && in.state->has_source()) return now;
  const auto parts = split_heads(rows_of(in_, *in.source, cut, all, ctx), {keys_, values_});
  now.k = parts[0], now.v = parts[1];
  if (kept) kept->keep_source(now.k.value(), now.v.value());
  return now;
}

MultiHead::Projected MultiHead::projected(const Variable& x, const MixIn& in, const Context& ctx) {
  check_x(x);
  return (in.source ? of_source(x, in, ctx) : of_sequence(x, in, ctx)).operands(ctx);
}

void MultiHead::check_x(const Variable& x) const {
  HEED_CHECK(x.dims() == 3 && x.size(2) == options_.C, "attention", "x is ", x.shape(), "; it must be (B, T, ",
             options_.C, ")");
}

void MultiHead::check_source(const Variable& x, const Variable& y) const {
  HEED_CHECK(y.dims() == 3 && y.size(0) == x.size(0) && y.size(2) == options_.C, "attention", "x is ", x.shape(),
             " and the source is ", y.shape(), "; it must be (B, S, C)");
}

// All checks are made before the state changes.
MultiHead::Projected MultiHead::with_state(const Projected& now, KeyValueState& kept, const Mask& mask) const {
  const long B = now.v.size(0), T = now.v.size(2), S = kept.keys_after(T), forgotten = kept.length() + T - S;
  kept.check_room(B, T);
  HEED_CHECK(forgotten == 0 || (!mask.segments.defined() && !mask.allow.defined() && !mask.lengths.defined() &&
                                !mask.ranges.defined()),
             "attention", forgotten,
             " tokens are out of reach and were forgotten; the mask must not have lengths, segments, ranges or single "
             "pairs any more");
  mask.check("attention", B, options_.heads, T, S);
  const auto [k, v] = kept.appended(now.k, now.v);
  kept.advance(T);
  return {.q = now.q, .k = k, .v = v, .first_key = kept.first_key(), .keys = S};
}

// The core adds the new tokens to its state; here is what must hold before.
MultiHead::Projected MultiHead::with_own_state(const Projected& now, State& state, const Mask& mask) const {
  const long B = now.v.size(0), T = now.v.size(2), S = state.length() + T;
  state.check_room(B, T);
  mask.check("attention", B, options_.heads, T, S);
  Projected all = now;
  all.keys = S, all.own_state = &state;
  return all;
}

// In bf16 q, k, v and the gradient that arrives are rounded; what is made inside, the weights P and the gradients dS of
// the scores, stays f32.
Variable MultiHead::mix(const Variable& x, const MixIn& in, Context& ctx) {
  const Projected p = projected(x, in, ctx);
  const Variable o = core_.attend(p.heads(x, in), in.mask, ctx);
  if (p.own_state && !in.source) p.own_state->advance(x.size(1));
  const Variable y = out_.forward(joined_heads(ctx.bf16 ? bf16_gradient(o) : o), ctx);
  return in.source ? y : zero_padded_rows(y, in.mask.lengths, p.keys, ctx);
}

Tensor MultiHead::dense_weights(const Variable& x, const MixIn& in, Context& ctx) {
  return core_.weights(projected(x, in, ctx).heads(x, in), in.mask, ctx);
}

std::vector<Look> MultiHead::looks(const Variable& x, const MixIn& in, Context& ctx) {
  return core_.looks(projected(x, in, ctx).heads(x, in), in.mask, ctx);
}

}  // namespace heed
