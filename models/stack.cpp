#include "models/stack.h"

#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/recompute.h"
#include "autograd/reversible.h"
#include "system/error.h"

namespace heed {
namespace {

void check(const StackOptions& o) {
  const size_t bad = o.ordering.find_first_not_of("sfc");
  HEED_CHECK(!o.ordering.empty(), "stack",
             "the ordering is empty; it must have at least one of s, f and c, such as sfsf");
  HEED_CHECK(bad == std::string::npos, "stack", "the ordering '", o.ordering, "' has '", o.ordering.substr(bad, 1),
             "' at place ", bad, "; the letters are s (attention), f (feed-forward) and c (cross-attention)");
  if (!o.reversible) return;
  HEED_CHECK(o.pre_norm, "stack", "reversible is on and pre_norm is off; a norm behind the sum cannot be undone");
  HEED_CHECK(!o.recompute_blocks, "stack",
             "reversible and recompute_blocks are both on; choose one, a reversible stack keeps no block's input");
  HEED_CHECK(o.ordering.find('c') == std::string::npos && o.ordering.size() % 2 == 0, "stack", "the ordering '",
             o.ordering, "' cannot be reversible; it must be pairs of s and f, such as sfsf, without c");
}

// The first and the last layer of a branch. There are as many branches as letters, two to a layer.
Init first_init(const StackOptions& o) { return init::normal(o.deviation); }
Init last_init(const StackOptions& o) {
  return init::depth_normal(o.deviation, std::max(1L, long(o.ordering.size()) / 2));
}

// Of the mixer at place i of the ordering
MixerOptions mixer_options(const StackOptions& o, size_t i, Shared& shared) {
  const auto count = [&](size_t end) {
    return std::count(o.ordering.begin(), o.ordering.begin() + long(end), o.ordering[i]);
  };
  return {.C = o.C,
          .heads = o.heads,
          .max_length = o.max_length,
          .dropout = o.attention_dropout,
          .rotary = o.rotary && o.ordering[i] == 's',
          .in = first_init(o),
          .out = last_init(o),
          .layer = count(i),
          .layers = count(o.ordering.size()),
          .grid = o.grid,
          .shared = o.ordering[i] == 's' ? &shared : nullptr};
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

long StackState::length() const {
  long longest = 0;  // cross-attentions count no tokens
  for (const auto& state : states) longest = std::max(longest, state->length());
  return longest;
}

void StackState::reset() {
  for (auto& state : states) state->reset();
}

Stack::Stack(const StackOptions& o)
    : pre_norm_(o.pre_norm),
      recompute_blocks_(o.recompute_blocks),
      reversible_(o.reversible),
      shared_(child<Shared>("shared")),
      dropout_(child<Dropout>("dropout", o.dropout)) {
  check(o);
  size_t states = 0;
  for (size_t i = 0; i < o.ordering.size(); i++) {
    layers_.push_back(make_layer(o, i, states));
    if (layers_.back().mixer) states++;
  }
  if (pre_norm_) last_norm_ = &child<LayerNorm>("norm", o.C);
  widening_ = widening();
}

Stack::Layer Stack::make_layer(const StackOptions& o, size_t i, size_t state_index) {
  const std::string number = std::to_string(i);
  Layer layer{o.ordering[i], &child<LayerNorm>("norm_" + number, o.C), nullptr, nullptr, state_index};
  if (layer.kind == 'f') {
    const long hidden = o.hidden ? o.hidden : FeedForward::usual_hidden(o.C, o.activation);
    layer.feed_forward = &child<FeedForward>(
        "layer_" + number, o.C, hidden,
        FeedForward::Options{
            .activation = o.activation, .chunks = o.feed_forward_chunks, .in = first_init(o), .out = last_init(o)});
    return layer;
  }
  const std::string& list = layer.kind == 's' ? o.attention : o.cross_attention;
  layer.mixer = &child_from("layer_" + number, [&] { return make_layer_mixer(list, mixer_options(o, i, shared_)); });
  HEED_CHECK(layer.kind != 'c' || layer.mixer->can().cross, "stack", "cross_attention is '", o.cross_attention,
             "', which takes no source; use full");
  return layer;
}

Capabilities Stack::can() const {
  Capabilities all;
  bool first = true;
  for (const Layer& layer : layers_)
    if (layer.kind == 's') all = first ? layer.mixer->can() : all & layer.mixer->can(), first = false;
  if (!first) return all;
  for (const Capability& each : all_capabilities()) all.*each.has = !each.need;  // no attention, nothing it cannot do
  return all;
}

// The first attention if it adds nodes beside the tokens; null otherwise. Then all of them must be of its kind: no
// other knows what the nodes are.
const Stack::Layer* Stack::widening() const {
  const Layer* first = nullptr;
  bool widens = false;
  for (const Layer& layer : layers_)
    if (layer.kind == 's') first = first ? first : &layer, widens |= layer.mixer->can().widens;
  for (const Layer& layer : layers_)
    HEED_CHECK(!widens || layer.kind != 's' || layer.mixer->name() == first->mixer->name(), "stack", "the attentions ",
               first->mixer->name(), " and ", layer.mixer->name(),
               " are mixed; one that adds nodes beside the tokens must be in all layers");
  return widens ? first : nullptr;
}

StackState Stack::start(long batch, long max_length) {
  StackState all;
  for (const Layer& layer : layers_)
    if (layer.mixer) all.states.push_back(layer.mixer->start(batch, max_length));
  return all;
}

MixIn Stack::mix_in(const Layer& layer, const StackIn& in) const {
  State* state = in.state ? in.state->states[layer.state_index].get() : nullptr;
  if (layer.kind == 's') return {.mask = in.mask, .state = state, .tokens = in.tokens};
  HEED_CHECK(in.source, "stack", "the ordering has cross-attention (c), and no source was given");
  return {.source = in.source, .mask = in.source_mask, .state = state};
}

Variable Stack::branch(const Layer& layer, const Variable& h, const StackIn& in, Context& ctx) {
  if (layer.kind == 'f') return dropout_.forward(layer.feed_forward->forward(h, ctx), ctx);
  const MixIn own = mix_in(layer, in);
  if (layer.kind == 's' && in.maps) in.maps->push_back(layer.mixer->looks(h, own, ctx));
  return dropout_.forward(layer.mixer->forward(h, own, ctx), ctx);
}

// x behind these layers, as it goes on to the next ones; with a `last` norm its norm.
Variable Stack::through(Layers layers, const Variable& given, const StackIn& in, Context& ctx, LayerNorm* last) {
  SumAndNorm now = pre_norm_ ? layers[0].norm->add(given, {}, ctx) : SumAndNorm{given, given};
  for (size_t i = 0; i < layers.size(); i++) {
    const Variable y = branch(layers[i], now.y, in, ctx);
    if (!pre_norm_) {
      now.sum = now.y = layers[i].norm->add(now.sum, y, ctx).y;
      continue;
    }
    LayerNorm* next = i + 1 < layers.size() ? layers[i + 1].norm : last;
    if (!next) return now.sum + y;
    now = next->add(now.sum, y, ctx);
  }
  return now.y;
}

// "sfscff" -> "sf", "scf", "f"
std::vector<Stack::Layers> Stack::blocks() const {
  std::vector<Layers> all;
  const auto starts = [&](size_t i) { return layers_[i].kind == 's' || layers_[i - 1].kind == 'f'; };
  for (size_t begin = 0, end = 0; begin < layers_.size(); begin = end) {
    for (end = begin + 1; end < layers_.size() && !starts(end);) end++;
    all.push_back(Layers(layers_).subspan(begin, end - begin));
  }
  return all;
}

Variable Stack::block_by_block(const Variable& given, const StackIn& in, Context& ctx) {
  Variable x = given;
  for (const Layers& block : blocks()) {
    const auto fn = [this, block, in, &ctx](const std::vector<Variable>& inputs) {
      StackIn own = in;
      own.source = inputs.size() > 1 ? &inputs[1] : nullptr;
      return through(block, inputs[0], own, ctx, nullptr);
    };
    x = recompute(fn, in.source ? std::vector<Variable>{x, *in.source} : std::vector<Variable>{x}, ctx.mark());
  }
  return pre_norm_ ? last_norm_->forward(x, ctx) : x;
}

Variable Stack::by_halves(const Variable& x, const StackIn& in, Context& ctx) {
  std::vector<Branch> branches;
  for (const Layer& layer : layers_)
    branches.push_back([this, &layer, in, &ctx](const Variable& half) {
      return branch(layer, layer.norm->forward(half, ctx), in, ctx);
    });
  const Halves y = in.state ? reversible_reference(branches, {x, x})
                            : heed::reversible(branches, {x, x}, [&] { return ctx.mark(); });
  return last_norm_->forward((y.x1 + y.x2) * 0.5, ctx);
}

Variable Stack::run(const Variable& x, const StackIn& in, Context& ctx) {
  if (reversible_) return by_halves(x, in, ctx);
  if (recompute_blocks_ && grad_enabled() && !in.state) return block_by_block(x, in, ctx);
  return through(layers_, x, in, ctx, last_norm_);
}

Variable Stack::forward(const Variable& x, const StackIn& in, Context& ctx) {
  if (!widening_) return run(x, in, ctx);
  Mixer& first = *widening_->mixer;
  const MixIn own = mix_in(*widening_, in);
  return first.narrow(run(first.widen(x, own, ctx), in, ctx), x.size(1), own, ctx);
}

}  // namespace heed
