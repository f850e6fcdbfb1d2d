#include "tests/support/echo_mixer.h"

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"

using namespace heed;

namespace {

struct Echo : Mixer {
  Linear& out;
  Variable& mean_of_x;
  explicit Echo(const MixerOptions& o)
      : out(child<Linear>("out", o.C, o.C)), mean_of_x(buffer("mean", {o.C}, init::constant(0))) {}

  struct Fading : State {
    using State::State;
    Tensor last = {};  // (B, 1, C)
    void reset() override { State::reset(), last = {}; }
    Tensors tensors() const override { return last.defined() ? Tensors{{"last", last}} : Tensors(); }
    void take(const Tensors& from) override {
      if (const Tensor given = named(from, "last"); given.defined()) last = clone(given);
    }
  };
  std::unique_ptr<State> start(long batch, long max_length) override {
    return std::make_unique<Fading>(batch, max_length, *this);
  }
  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override {
    Fading* state = in.state ? &State::of<Fading>(*in.state, *this) : nullptr;
    if (state) state->check_room(x.size(0), x.size(1));
    Variable s = state && state->last.defined() ? Variable(state->last) : Variable();
    std::vector<Variable> all;
    for (long t = 0; t < x.size(1); t++) {
      const Variable now = slice(x, 1, t, t + 1);
      all.push_back(s = s.defined() ? s * 0.5 + now : now);
    }
    if (state && x.size(1) > 0) state->last = clone(s.value()), state->advance(x.size(1));
    if (ctx.train)
      ctx.at_step_end(
          *this, concatenate({Variable(sum(x.value(), {0, 1})), Variable(full({1}, double(x.numel())))}, 0).value(),
          [this](const Tensor& all) { move(all); });
    ctx.report("echo", mean(abs(x.value())).item());
    return out.forward(concatenate(all, 1) - mean_of_x, ctx);
  }
  void move(const Tensor& sum_and_count) {
    const long C = mean_of_x.size(0);
    const Tensor now = slice(sum_and_count, 0, 0, C) * (double(C) / sum_and_count.at({C}));
    copy_into(mean_of_x.value(), mean_of_x.value() * 0.9 + now * 0.1);
  }
  Capabilities can() const override {
    return {.causal = true, .strictly_causal = true, .decode = true, .any_cut = true, .bounded = true};
  }
};

const Variant kEcho{.name = "echo",
                    .summary = "what was said fades",
                    .formula = "y_t = W (s_t - m)",
                    .source = "this test",
                    .make = [](const VariantOptions&, const MixerOptions& o) { return std::make_unique<Echo>(o); }};

}  // namespace

WithEcho::WithEcho() : echo(kEcho) {}
