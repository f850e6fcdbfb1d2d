#include "models/stack.h"

#include <algorithm>

#include "autograd/elementwise.h"
#include "tensor/error.h"

namespace heed {
namespace {

void check(const StackOptions& o) {
  const size_t bad = o.ordering.find_first_not_of("sfc");
  HEED_CHECK(!o.ordering.empty(), "stack",
             "the ordering is empty; it must have at least one of s, f and c, such as sfsf");
  HEED_CHECK(bad == std::string::npos, "stack", "the ordering '", o.ordering, "' has '", o.ordering.substr(bad, 1),
             "' at place ", bad, "; the letters are s (attention), f (feed-forward) and c (cross-attention)");
}

MixerSizes sizes_of(const StackOptions& o) {
  return {.C = o.C, .heads = o.heads, .max_length = o.max_length, .dropout = o.attention_dropout};
}

}  // namespace

std::string repeated(const std::string& part, long times) {
  std::string all;
  for (long i = 0; i < times; i++) all += part;
  return all;
}

long StackState::length() const {
  long longest = 0;  // cross-attentions count no tokens
  for (const auto& state : states) longest = std::max(longest, state->length());
  return longest;
}

void StackState::reset() {
  for (auto& state : states) state->reset();
}

Stack::Stack(const StackOptions& o) : pre_norm_(o.pre_norm), dropout_(child<Dropout>("dropout", o.dropout)) {
  check(o);
  const long hidden = o.hidden ? o.hidden : FeedForward::usual_hidden(o.C, o.activation);
  for (size_t i = 0; i < o.ordering.size(); i++) {
    const std::string number = std::to_string(i);
    Layer layer{o.ordering[i], &child<LayerNorm>("norm_" + number, o.C), nullptr, nullptr};
    if (layer.kind == 'f')
      layer.feed_forward =
          &child<FeedForward>("layer_" + number, o.C, hidden, FeedForward::Options{.activation = o.activation});
    else
      layer.mixer = &child_from("layer_" + number, [&] {
        return make_mixer(layer.kind == 's' ? o.attention : o.cross_attention, sizes_of(o));
      });
    HEED_CHECK(layer.kind != 'c' || layer.mixer->can().cross, "stack", "cross_attention is '", o.cross_attention,
               "', which takes no memory; use full");
    layers_.push_back(layer);
  }
  if (pre_norm_) last_norm_ = &child<LayerNorm>("norm", o.C);
}

Capabilities Stack::can() const {
  Capabilities all{.causal = true, .strictly_causal = true, .padding = true, .decode = true, .exact = true};
  for (const Layer& layer : layers_) {
    if (layer.kind != 's') continue;
    const Capabilities one = layer.mixer->can();
    all.causal &= one.causal, all.strictly_causal &= one.strictly_causal, all.padding &= one.padding;
    all.decode &= one.decode, all.exact &= one.exact;
  }
  return all;
}

StackState Stack::start(long batch, long max_length) {
  StackState all;
  for (const Layer& layer : layers_)
    if (layer.mixer) all.states.push_back(layer.mixer->start(batch, max_length));
  return all;
}

Variable Stack::branch(const Layer& layer, const Variable& h, const StackIn& in, State* state, Context& ctx) {
  if (layer.kind == 'f') return layer.feed_forward->forward(h, ctx);
  if (layer.kind == 's') return layer.mixer->forward(h, {.mask = in.mask, .state = state}, ctx);
  HEED_CHECK(in.memory, "stack", "the ordering has cross-attention (c), and no memory was given");
  return layer.mixer->forward(h, {.memory = in.memory, .mask = in.memory_mask, .state = state}, ctx);
}

Variable Stack::forward(const Variable& given, const StackIn& in, Context& ctx) {
  Variable x = given, h = pre_norm_ ? layers_[0].norm->forward(x, ctx) : x;
  size_t attention = 0;
  for (size_t i = 0; i < layers_.size(); i++) {
    const Layer& layer = layers_[i];
    State* state = in.state && layer.mixer ? in.state->states[attention].get() : nullptr;
    if (layer.mixer) attention++;
    const Variable y = dropout_.forward(branch(layer, h, in, state, ctx), ctx);
    LayerNorm* next = !pre_norm_ ? layer.norm : i + 1 < layers_.size() ? layers_[i + 1].norm : last_norm_;
    SumAndNorm both = next->add(x, y, ctx);
    x = pre_norm_ ? both.sum : both.y, h = both.y;
  }
  return h;
}

}  // namespace heed
