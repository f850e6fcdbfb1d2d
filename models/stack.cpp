#include "models/stack.h"

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/recompute.h"
#include "autograd/reversible.h"
#include "models/sublayer.h"
#include "system/error.h"
#include "system/nearest.h"

namespace heed {
namespace {

using Kinds = std::vector<const SublayerKind*>;

std::unique_ptr<Norm> make_norm(const StackOptions& o) {
  if (o.norm == "layer") return std::make_unique<LayerNorm>(o.C);
  if (o.norm == "rms") return std::make_unique<RmsNorm>(o.C, RmsNorm::Options{.epsilon = 1e-5});
  fail_unknown("stack", "norm", o.norm, {"layer", "rms"});
}

// There are as many branches as letters, two to a layer.
SublayerOptions sublayer_options(const StackOptions& o, size_t i, Shared& shared) {
  const auto count = [&](size_t end) {
    return std::count(o.ordering.begin(), o.ordering.begin() + long(end), o.ordering[i]);
  };
  return {.stack = o,
          .place = long(i),
          .number = count(i),
          .count = count(o.ordering.size()),
          .shared = shared,
          .in = init::normal(o.deviation),
          .out = init::depth_normal(o.deviation, std::max(1L, long(o.ordering.size()) / 2))};
}

}  // namespace

std::string repeated(const std::string& part, long times) {
  std::string all;
  for (long i = 0; i < times; i++) all += part;
  return all;
}

StackOptions with_positions(StackOptions stack, const std::string& positions) {
  stack.rotary |= positions == "rotary";
  return stack;
}

void check_reversible(const char* op, const StackOptions& o) {
  if (!o.reversible) return;
  HEED_CHECK(o.pre_norm, op, "reversible is on and pre_norm is off; a norm behind the sum cannot be undone");
  HEED_CHECK(!o.recompute_blocks, op,
             "reversible and recompute_blocks are both on; choose one, a reversible stack keeps no block's input");
  const Kinds kinds = sublayer_kinds(op, o.ordering);
  for (const SublayerKind* kind : kinds)
    HEED_CHECK(kind->sees != Sees::source, op, "the ordering '", o.ordering, "' has ", titled(*kind),
               ", which reads a source; a reversible stack cannot. Leave it away, or reversible off");
  HEED_CHECK(kinds.size() % 2 == 0, op, "the ordering '", o.ordering, "' has ", kinds.size(),
             " letters; a reversible stack is made of pairs, such as sfsf or ssff");
}

long StackState::length() const {
  long longest = 0;  // cross-attentions count no tokens
  for (const auto& state : states) longest = std::max(longest, state->length());
  return longest;
}

void StackState::reset() {
  for (auto& state : states) state->reset();
}

StackState::Saved StackState::saved() const {
  Saved all;
  for (const auto& state : states) all.push_back(state->saved());
  return all;
}

void StackState::restore(const Saved& saved) {
  HEED_CHECK(saved.size() == states.size(), "state", "there are ", states.size(), " states and ", saved.size(),
             " were saved; they are of another stack");
  for (size_t i = 0; i < states.size(); i++) states[i]->restore(saved[i]);
}

Stack::Stack(const StackOptions& o)
    : pre_norm_(o.pre_norm),
      recompute_blocks_(o.recompute_blocks),
      reversible_(o.reversible),
      shared_(child<Shared>("shared")),
      dropout_(child<Dropout>("dropout", o.dropout)) {
  const Kinds kinds = sublayer_kinds("stack", o.ordering);
  check_reversible("stack", o);
  long states = 0;
  for (size_t i = 0; i < kinds.size(); i++) {
    const std::string number = std::to_string(i);
    Norm& norm = child_from("norm_" + number, [&] { return make_norm(o); });
    Sublayer& own = child_from("layer_" + number, [&] { return kinds[i]->make(sublayer_options(o, i, shared_)); });
    layers_.push_back({kinds[i]->sees, &norm, &own, kinds[i]->sees == Sees::token ? -1 : states++});
  }
  if (pre_norm_) last_norm_ = &child_from("norm", [&] { return make_norm(o); });
  widening_ = widening();
}

Capabilities Stack::can() const {
  Capabilities all = layers_[0].sublayer->can();
  for (const Layer& layer : Layers(layers_).subspan(1)) all = all & layer.sublayer->can();
  return all;
}

// The first attention if it adds nodes beside the tokens; null otherwise. Then all of them must be of its kind: no
// other knows what the nodes are.
const Stack::Layer* Stack::widening() const {
  std::vector<const Layer*> mixing;
  for (const Layer& layer : layers_)
    if (layer.sublayer->mixer()) mixing.push_back(&layer);
  const auto mixer = [](const Layer* layer) { return layer->sublayer->mixer(); };
  if (std::none_of(mixing.begin(), mixing.end(), [&](const Layer* layer) { return mixer(layer)->can().widens; }))
    return nullptr;
  for (const Layer* layer : mixing)
    HEED_CHECK(mixer(layer)->name() == mixer(mixing[0])->name(), "stack", "the attentions ", mixer(mixing[0])->name(),
               " and ", mixer(layer)->name(),
               " are mixed; one that adds nodes beside the tokens must be in all layers");
  return mixing[0];
}

StackState Stack::start(long batch, long max_length) {
  StackState all;
  for (const Layer& layer : layers_)
    if (layer.state_index >= 0) all.states.push_back(layer.sublayer->start(batch, max_length));
  return all;
}

State* Stack::state_of(const Layer& layer, const StackIn& in) {
  return in.state && layer.state_index >= 0 ? in.state->states[size_t(layer.state_index)].get() : nullptr;
}

Variable Stack::branch(const Layer& layer, const Variable& h, const StackIn& in, Context& ctx) {
  if (in.inputs) in.inputs->push_back(h.value());
  return dropout_.forward(layer.sublayer->forward(h, in, state_of(layer, in), ctx), ctx);
}

// x behind these layers, as it goes on to the next ones; with a `last` norm its norm.
Variable Stack::through(Layers layers, const Variable& given, const StackIn& in, Context& ctx, Norm* last) {
  SumAndNorm now = pre_norm_ ? layers[0].norm->add(given, {}, ctx) : SumAndNorm{given, given};
  for (size_t i = 0; i < layers.size(); i++) {
    const Variable y = branch(layers[i], now.y, in, ctx);
    if (!pre_norm_) {
      now.sum = now.y = layers[i].norm->add(now.sum, y, ctx).y;
      continue;
    }
    Norm* next = i + 1 < layers.size() ? layers[i + 1].norm : last;
    if (!next) return now.sum + y;
    now = next->add(now.sum, y, ctx);
  }
  return now.y;
}

// "sfscff" -> "sf", "scf", "f"
std::vector<Stack::Layers> Stack::blocks() const {
  std::vector<Layers> all;
  const auto starts = [&](size_t i) { return layers_[i].sees == Sees::sequence || layers_[i - 1].sees == Sees::token; };
  for (size_t begin = 0, end = 0; begin < layers_.size(); begin = end) {
    for (end = begin + 1; end < layers_.size() && !starts(end);) end++;
    all.push_back(Layers(layers_).subspan(begin, end - begin));
  }
  return all;
}

std::vector<size_t> Stack::block_begins() const {
  std::vector<size_t> begins;
  for (const Layers& block : blocks()) begins.push_back(size_t(block.data() - layers_.data()));
  return begins;
}

// For layers that are computed again in backward: their states are then what they were before, and afterwards what they
// have become since.
Rewind Stack::mark(Layers layers, const StackIn& in, Context& ctx) {
  const Rewind rewind = ctx.mark();
  if (!in.state) return rewind;
  using Moment = std::vector<std::pair<State*, State::Saved>>;
  const auto restore = [](const Moment& moment) {
    for (const auto& [state, saved] : moment) state->restore(saved);
  };
  Moment past;
  for (const Layer& layer : layers)
    if (State* state = state_of(layer, in)) past.emplace_back(state, state->saved());
  return [=]() -> std::shared_ptr<void> {
    const auto present = std::make_shared<Moment>();
    for (const auto& [state, saved] : past) present->emplace_back(state, state->saved());
    std::shared_ptr<void> guard = rewind();
    restore(past);
    return {nullptr, [present, guard](void*) {
              for (auto& [state, saved] : *present) state->come_back(std::move(saved));  // no memory is needed
            }};
  };
}

Variable Stack::block_by_block(const Variable& given, const StackIn& in, Context& ctx) {
  Variable x = given;
  for (const Layers& block : blocks()) {
    const auto fn = [this, block, in, &ctx](const std::vector<Variable>& inputs) {
      StackIn own = in;
      own.source = inputs.size() > 1 ? &inputs[1] : nullptr;
      return through(block, inputs[0], own, ctx, nullptr);
    };
    x = recompute(fn, in.source ? std::vector<Variable>{x, *in.source} : std::vector<Variable>{x},
                  mark(block, in, ctx));
  }
  return pre_norm_ ? last_norm_->forward(x, ctx) : x;
}

Variable Stack::by_halves(const Variable& x, const StackIn& in, Context& ctx) {
  std::vector<Branch> branches;
  for (const Layer& layer : layers_)
    branches.push_back([this, &layer, in, &ctx](const Variable& half) {
      return branch(layer, layer.norm->forward(half, ctx), in, ctx);
    });
  const Layers layers = layers_;
  size_t next = 0;
  const auto mark_next = [&] { return mark(layers.subspan(next++, 1), in, ctx); };
  const Halves y = heed::reversible(branches, {x, x}, mark_next);
  return last_norm_->forward((y.x1 + y.x2) * 0.5, ctx);
}

Variable Stack::run(const Variable& x, const StackIn& in, Context& ctx) {
  if (reversible_) return by_halves(x, in, ctx);
  if (recompute_blocks_ && grad_enabled()) return block_by_block(x, in, ctx);
  return through(layers_, x, in, ctx, last_norm_);
}

Variable Stack::forward(const Variable& x, const StackIn& in, Context& ctx) {
  if (!widening_) return run(x, in, ctx);
  Mixer& first = *widening_->sublayer->mixer();
  const MixIn own = in.mix_in(state_of(*widening_, in));
  return first.narrow(run(first.widen(x, own, ctx), in, ctx), x.size(1), own, ctx);
}

}  // namespace heed
