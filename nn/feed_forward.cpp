#include "nn/feed_forward.h"

#include <optional>

#include "autograd/bias_activation.h"
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/views.h"
#include "tensor/nearest.h"

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
      in_(child<Linear>("in", C, choice_.gated ? 2 * hidden : hidden,
                        Linear::Options{.bias = options.bias, .weight = options.in})),
      out_(child<Linear>("out", hidden, C, Linear::Options{.bias = options.bias, .weight = options.out})),
      dropout_(child<Dropout>("dropout", options.dropout)) {}

Variable FeedForward::forward(const Variable& x, Context& ctx) {
  return out_.forward(dropout_.forward(hidden(x, ctx), ctx), ctx);
}

// f(in(x)), or with a gate a * f(b) from in(x) = [a, b]
Variable FeedForward::hidden(const Variable& x, Context& ctx) {
  if (choice_.fused && in_.bias().defined())
    return bias_activation(linear(x, in_.weight, {}), in_.bias(), *choice_.fused);
  const Variable h = in_.forward(x, ctx);
  if (!choice_.gated) return choice_.f(h);
  return slice(h, -1, 0, hidden_) * choice_.f(slice(h, -1, hidden_, 2 * hidden_));
}

long FeedForward::usual_hidden(long C, const std::string& activation) {
  return find(activation).gated ? ((8 * C + 2) / 3 + 7) / 8 * 8 : 4 * C;
}

}  // namespace heed
