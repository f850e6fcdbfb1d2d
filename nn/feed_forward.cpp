#include "nn/feed_forward.h"

#include <algorithm>
#include <optional>

#include "autograd/ops/bias_activation.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/views.h"
#include "system/nearest.h"

namespace heed {

struct FeedForward::Choice {
  const char* name;
  Variable (*f)(const Variable&);
  bool gated;
  std::optional<Activation> fused;  // f(x + bias) in one pass
  static const Choice all[];
};

const FeedForward::Choice FeedForward::Choice::all[] = {{"relu", relu, false, Activation::relu},
                                                        {"gelu", gelu, false, Activation::gelu},
                                                        {"gelu_tanh", gelu_tanh, false, Activation::gelu_tanh},
                                                        {"quick_gelu", quick_gelu, false, Activation::quick_gelu},
                                                        {"silu", silu, false, Activation::silu},
                                                        {"glu", sigmoid, true, {}},
                                                        {"reglu", relu, true, {}},
                                                        {"geglu", gelu, true, {}},
                                                        {"swiglu", silu, true, {}}};

const std::vector<std::string>& FeedForward::activations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Choice& one : Choice::all) list.push_back(one.name);
    return list;
  }();
  return names;
}

namespace {

long checked(long hidden, long C) {
  HEED_CHECK(C >= 1 && hidden >= 1, "feed_forward", "C is ", C, " and hidden is ", hidden, "; both must be at least 1");
  return hidden;
}

}  // namespace

const FeedForward::Choice& FeedForward::find(const std::string& name) {
  for (const Choice& one : Choice::all)
    if (name == one.name) return one;
  fail_unknown("feed_forward", "activation", name, activations());
}

FeedForward::FeedForward(long C, long hidden, const Options& options)
    : choice_(find(options.activation)),
      hidden_(checked(hidden, C)),
      chunks_(options.chunks),
      in_(child<Linear>("in", C, choice_.gated ? 2 * hidden : hidden,
                        Linear::Options{.bias = options.bias, .weight = options.in})),
      out_(child<Linear>("out", hidden, C, Linear::Options{.bias = options.bias, .weight = options.out})),
      dropout_(child<Dropout>("dropout", options.dropout)) {
  HEED_CHECK(chunks_ >= 1, "feed_forward", "chunks is ", chunks_, "; it must be at least 1");
}

Variable FeedForward::forward(const Variable& x, Context& ctx) {
  const RandomKey key = drops(ctx) ? ctx.random(dropout_) : RandomKey();
  return chunks_ > 1 && x.dims() > 1 && x.numel() > 0 ? in_chunks(x, key, ctx) : part(x, key, ctx);
}

Variable FeedForward::part(const Variable& x, const RandomKey& key, Context& ctx) {
  const Variable h = hidden(x, ctx);
  return out_.forward(drops(ctx) ? dropout(h, dropout_.p, key) : h, ctx);
}

// Draws are numbered by sample and token, so with dropout whole samples stay together and each part knows its first.
Variable FeedForward::in_chunks(const Variable& x, const RandomKey& key, Context& ctx) {
  const Variable rows = drops(ctx) ? x : reshape(x, {x.shape().rows(), x.size(-1)});
  const long n = rows.size(0), parts = std::min(chunks_, n);
  std::vector<long> sizes;
  for (long i = 0; i < parts; i++) sizes.push_back(n * (i + 1) / parts - n * i / parts);
  std::vector<Variable> ys;
  RandomKey now = key;
  // Without gradients nobody computes a part again, and a mark would make ctx keep all later decisions for it.
  const bool replayed = grad_enabled();
  for (const Variable& each : split(rows, sizes, 0)) {
    const auto fn = [this, now, &ctx](const std::vector<Variable>& in) { return part(in[0], now, ctx); };
    ys.push_back(recompute(fn, {each}, replayed ? ctx.mark() : nullptr));
    now.sample += uint32_t(each.size(0));
  }
  return reshape(concatenate(ys, 0), x.shape());
}

// f(in(x)), or with a gate a * f(b) from in(x) = [a, b]
Variable FeedForward::hidden(const Variable& x, Context& ctx) {
  if (choice_.fused && in_.bias().defined())
    return bias_activation(linear(x, in_.weight, {}, ctx), in_.bias(), *choice_.fused);
  const Variable h = in_.forward(x, ctx);
  if (!choice_.gated) return choice_.f(h);
  return gated(h);
}

// a * f(b) of h = [a, b]. Only h is kept for backward: f(b) and the product are computed again from it.
Variable FeedForward::gated(const Variable& h) const {
  const Variable a = slice(h, -1, 0, hidden_), b = slice(h, -1, hidden_, 2 * hidden_);
  const auto f = choice_.f;
  const Variable fb = recomputable(f(b), [f, b = Saved(b)] { return f(b.get()).value(); });
  return recomputable(a * fb, [a = Saved(a), fb = Saved(fb)] { return a.get() * fb.get(); });
}

long FeedForward::usual_hidden(long C, const std::string& activation) {
  return find(activation).gated ? ((8 * C + 2) / 3 + 7) / 8 * 8 : 4 * C;
}

}  // namespace heed
