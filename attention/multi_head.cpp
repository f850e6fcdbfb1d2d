#include "attention/multi_head.h"

#include <algorithm>

#include "autograd/ops/bf16.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr bool kInterleaved = false;  // rotary positions rotate channels i and i + D/2: whole vectors at a time

struct Part {
  long heads, width;  // of the heads that lie side by side in a row of the projection
  Tensor table = {};  // (T, 2, width / 2): they are rotated by these positions
};

// (B, heads, T, width), a view of channels from `first` on of y (B, T, channels)
Tensor heads_of(const Tensor& y, long first, const Part& part) {
  const Strides& s = y.strides();
  return Tensor::view(y, {y.size(0), part.heads, y.size(1), part.width}, {s[0], part.width, s[1], 1},
                      y.offset() + first);
}

// The parts of y (B, T, channels)
std::vector<Tensor> parts_of(const Tensor& y, const std::vector<Part>& parts) {
  std::vector<Tensor> views;
  for (long i = 0, first = 0; i < long(parts.size()); first += parts[i].heads * parts[i].width, i++)
    views.push_back(heads_of(y, first, parts[i]));
  return views;
}

// Writes the parts of all: the given ones, rotated where they are to be, and zeros for those that are undefined.
Tensor joined_heads(const std::vector<Tensor>& given, const std::vector<Part>& parts, Tensor all, Rotate way) {
  const std::vector<Tensor> to = parts_of(all, parts);
  for (size_t i = 0; i < parts.size(); i++)
    if (!given[i].defined())
      fill(to[i], 0);
    else if (parts[i].table.defined())
      rotary_into(to[i], given[i], parts[i].table, way, kInterleaved);
    else
      copy_into(to[i], given[i]);
  return all;
}

// y (B, T, channels) -> one (B, heads, T, width) per part, views without a copy unless some are rotated. All parts lie
// in one tensor, and their gradients, too, so that nothing is padded and added up, and y is not kept beside what was
// rotated.
std::vector<Variable> split_heads(const Variable& y, const std::vector<Part>& parts) {
  Tensor dense = contiguous(y.value());
  const auto like_y = [shape = y.shape(), dtype = y.dtype(), device = dense.device()] {
    return Tensor::empty(shape, dtype, device);
  };
  if (parts[0].table.defined()) dense = joined_heads(parts_of(dense, parts), parts, like_y(), Rotate::forwards);
  return record_many("split_heads", parts_of(dense, parts), {y}, [parts, like_y](const std::vector<Tensor>& dys) {
    return Grads(joined_heads(dys, parts, like_y(), Rotate::backwards));
  });
}

// (B, H, T, Dv), in memory (B, T, H, Dv) -> (B, T, H Dv)
Variable one_row_per_token(const Variable& o) {
  return reshape(transpose(o, 1, 2), {o.size(0), o.size(2), o.size(1) * o.size(3)});
}

// Rows of W and of b: a projection to some of the channels
Variable projected(const Variable& x, const Linear& in, long first, long end, const Context& ctx) {
  return linear(x, slice(in.weight, 0, first, end), in.bias().defined() ? slice(in.bias(), 0, first, end) : Variable(),
                ctx);
}

// Zeros in the rows of queries that are padding: query i stands at position i + S - T of its sequence.
Variable without_padded_rows(const Variable& y, const Mask& mask, long S) {
  if (!mask.lengths.defined()) return y;
  const long B = y.size(0), T = y.size(1);
  Tensor padded = Tensor::empty({B, T, 1}, boolean);
  for (long b = 0; b < B; b++)
    for (long i = 0; i < T; i++) padded.mutable_data<bool>()[b * T + i] = i + S - T >= long(mask.lengths.at({b}));
  return masked_fill(y, padded, 0);
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

// Keys and values (B, Hk, capacity, width), of which `used` hold the last tokens seen. When it is full and the core has
// forgotten the first ones, those still in reach move to the front.
struct MultiHead::KeyValues : State {
  KeyValues(long batch, long max_length, const MultiHead& by)
      : State(batch, max_length), owner(&by), reach(by.core_.reach()) {}
  const MultiHead* owner;
  Tensor k, v;
  long used = 0, reach;
  bool of_source = false;  // keys and values of another sequence, made once

  static KeyValues& of(State& state, const MultiHead& user) {
    auto* kept = dynamic_cast<KeyValues*>(&state);
    HEED_CHECK(kept && kept->owner == &user, "state", "it was started by another mixer; each has its own");
    return *kept;
  }

  void reset() override { State::reset(), used = 0, of_source = false; }

  void append(const Tensor& new_k, const Tensor& new_v) {  // (B, Hk, T, width)
    const long T = new_k.size(2);
    make_room(T, new_k, new_v);
    copy_into(slice(k, 2, used, used + T), new_k);
    copy_into(slice(v, 2, used, used + T), new_v);
    used += T;
  }

  long used_after(long T) const { return fits(T) ? used + T : kept() + T; }

  Tensor heads(const Tensor& x, long end) const { return slice(x, 2, 0, end); }

 private:
  bool fits(long T) const { return k.defined() && used + T <= k.size(2); }
  long kept() const { return reach < 0 ? used : std::min(used, reach); }  // when there is no more room

  void make_room(long T, const Tensor& new_k, const Tensor& new_v) {
    if (fits(T)) return;
    const long keep = kept();
    const long room = reach < 0 ? max_length() : std::min(max_length(), 2 * (reach + 1) + 64);
    const long capacity = std::max(room, keep + T);
    for (auto [place, given] : {std::pair{&k, &new_k}, {&v, &new_v}}) {
      Tensor kept = keep ? clone(slice(*place, 2, used - keep, used)) : Tensor();
      if (!place->defined() || place->size(2) != capacity)  // also smaller, after a long prompt
        *place =
            Tensor::empty({given->size(0), given->size(1), capacity, given->size(3)}, given->dtype(), given->device());
      if (keep) copy_into(slice(*place, 2, 0, keep), kept);
    }
    used = keep;
  }
};

MultiHead::MultiHead(const MixerSizes& s, const CoreMaker& core)
    : sizes_(s),
      in_(child<Linear>("in", s.C, s.heads * s.head_width + s.key_heads * (s.head_width + s.value_width),
                        Linear::Options{.bias = s.bias, .weight = s.in})),
      out_(child<Linear>("out", s.heads * s.value_width, s.C, Linear::Options{.bias = s.bias, .weight = s.out})),
      core_(child_from("core", core)),
      positions_(s.head_width) {}

std::unique_ptr<State> MultiHead::start(long batch, long max_length) {
  if (!can().decode) return Mixer::start(batch, max_length);
  return std::make_unique<KeyValues>(batch, max_length, *this);
}

MultiHead::Projected MultiHead::project(const Variable& x, const MixIn& in, const Context& ctx) {
  HEED_CHECK(x.dims() == 3 && x.size(2) == sizes_.C, "attention", "x is ", x.shape(), "; it must be (B, T, ", sizes_.C,
             ")");
  Part q{sizes_.heads, sizes_.head_width}, k{sizes_.key_heads, sizes_.head_width};
  const Part v{sizes_.key_heads, sizes_.value_width};
  if (!in.source) {
    const long before = in.state ? in.state->length() : 0;
    if (sizes_.rotary) q.table = k.table = positions_.rows(x.size(1), before, x.dtype(), x.value().device());
    auto parts = split_heads(linear(x, in_.weight, in_.bias(), ctx), {q, k, v});
    return {parts[0], parts[1], parts[2]};
  }
  const Variable& y = *in.source;
  HEED_CHECK(can().cross, "attention",
             "a source was given; this pattern is one of positions in one sequence and has no meaning across two. Use "
             "full");
  HEED_CHECK(y.dims() == 3 && y.size(0) == x.size(0) && y.size(2) == sizes_.C, "attention", "x is ", x.shape(),
             " and the source is ", y.shape(), "; it must be (B, S, C)");
  const long cut = q.heads * q.width, all = in_.weight.size(0);
  auto own = split_heads(projected(x, in_, 0, cut, ctx), {q});
  auto* state = in.state ? &KeyValues::of(*in.state, *this) : nullptr;
  if (state && state->of_source)
    return {own[0], state->heads(state->k, state->used), state->heads(state->v, state->used)};
  auto other = split_heads(projected(y, in_, cut, all, ctx), {k, v});
  if (state) state->used = 0, state->append(other[0].value(), other[1].value()), state->of_source = true;
  return {own[0], other[0], other[1]};
}

// The keys and values of before, and those of now. Gradients flow into those of now only.
MultiHead::Projected MultiHead::with_state(const Projected& now, KeyValues& kept, const Mask& mask) {
  const long B = now.k.size(0), T = now.k.size(2), S = kept.used_after(T), forgotten = kept.length() + T - S;
  // all checks are made before the state changes
  kept.check_room(B, T);
  HEED_CHECK(forgotten == 0 || (!mask.segments.defined() && !mask.allow.defined() && !mask.lengths.defined()),
             "attention", forgotten,
             " tokens are out of reach and were forgotten; the mask must not have lengths, segments or single "
             "pairs any more");
  mask.check("attention", B, sizes_.heads, T, S);
  kept.append(now.k.value(), now.v.value());
  kept.advance(T);
  const long first = kept.length() - kept.used, past = kept.used - T;
  const bool keep_gradients = grad_enabled() && now.k.requires_grad();
  if (!keep_gradients) return {now.q, kept.heads(kept.k, kept.used), kept.heads(kept.v, kept.used), first};
  const Variable k = clone(kept.heads(kept.k, past)), v = clone(kept.heads(kept.v, past));
  return {now.q, concatenate({k, now.k}, 2), concatenate({v, now.v}, 2), first};
}

// In bf16 q, k, v and the gradient that arrives are rounded; what is made inside, the weights P and the gradients dS of
// the scores, stays f32.
Variable MultiHead::attend(const Projected& given, const Mask& mask, Context& ctx) {
  const Projected p = given.operands(ctx);
  const Variable o = core_.attend({p.q, p.k, p.v, p.first_key}, mask, ctx);
  return ctx.bf16 ? bf16_gradient(o) : o;
}

Variable MultiHead::forward(const Variable& x, const MixIn& in, Context& ctx) {
  Projected p = project(x, in, ctx);
  if (in.state && !in.source) p = with_state(p, KeyValues::of(*in.state, *this), in.mask);
  const Variable o = attend(p, in.mask, ctx);
  const Variable y = out_.forward(one_row_per_token(o), ctx);
  return in.source ? y : without_padded_rows(y, in.mask, p.k.size(2));
}

Tensor MultiHead::weights(const Variable& x, const MixIn& in, Context& ctx) {
  HEED_CHECK(!in.state, "weights", "a state was given; weights are shown for a whole sequence");
  const Projected p = project(x, in, ctx).operands(ctx);
  return core_.weights({p.q, p.k, p.v}, in.mask, ctx);
}

}  // namespace heed
