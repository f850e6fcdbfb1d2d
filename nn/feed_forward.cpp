#include "nn/feed_forward.h"

#include "autograd/elementwise.h"
#include "autograd/views.h"
#include "tensor/nearest.h"

namespace heed {

struct FeedForward::Activation {
  const char* name;
  Variable (*f)(const Variable&);
  bool gated;
  static const Activation all[];
};

const FeedForward::Activation FeedForward::Activation::all[] = {
    {"relu", relu, false}, {"gelu", gelu, false},  {"gelu_tanh", gelu_tanh, false}, {"quick_gelu", quick_gelu, false},
    {"silu", silu, false}, {"glu", sigmoid, true}, {"reglu", relu, true},           {"geglu", gelu, true},
    {"swiglu", silu, true}};

const std::vector<std::string>& FeedForward::activations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Activation& one : Activation::all) list.push_back(one.name);
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

const FeedForward::Activation& FeedForward::find(const std::string& name) {
  for (const Activation& one : Activation::all)
    if (name == one.name) return one;
  fail_unknown("feed_forward", "activation", name, activations());
}

FeedForward::FeedForward(long C, long hidden, const Options& options)
    : activation_(find(options.activation)),
      hidden_(checked(hidden, C)),
      in_(child<Linear>("in", C, activation_.gated ? 2 * hidden : hidden,
                        Linear::Options{.bias = options.bias, .weight = options.in})),
      out_(child<Linear>("out", hidden, C, Linear::Options{.bias = options.bias, .weight = options.out})),
      dropout_(child<Dropout>("dropout", options.dropout)) {}

Variable FeedForward::forward(const Variable& x, Context& ctx) {
  Variable h = in_.forward(x, ctx);
  if (activation_.gated)  // (..., 2 hidden): the value, then its gate
    h = slice(h, -1, 0, hidden_) * activation_.f(slice(h, -1, hidden_, 2 * hidden_));
  else
    h = activation_.f(h);
  return out_.forward(dropout_.forward(h, ctx), ctx);
}

long FeedForward::usual_hidden(long C, const std::string& activation) {
  return find(activation).gated ? ((8 * C + 2) / 3 + 7) / 8 * 8 : 4 * C;
}

}  // namespace heed
