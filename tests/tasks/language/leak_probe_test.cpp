// The probe for leaks: models that look ahead are found, others pass.
#include "tasks/language/leak_probe.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "nn/mixing/registry.h"
#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(leak_probe_test)

namespace {

// Says that it is causal, and sees the token behind its own.
struct Cheat : Mixer {
  Linear& out;
  explicit Cheat(const MixerOptions& o) : out(child<Linear>("out", o.C, o.C)) {}
  Variable mix(const Variable& x, const MixIn&, Context& ctx) override {
    const long T = x.size(1);
    return out.forward(x + sum(slice(x, 1, T / 2, T), {1}, true), ctx);
  }
  Capabilities can() const override { return {.causal = true}; }
};

const Variant kCheat{.name = "cheat",
                     .summary = "looks ahead",
                     .formula = "y_t = W (x_t + x_T)",
                     .source = "this test",
                     .make = [](const VariantOptions&, const MixerOptions& o) { return std::make_unique<Cheat>(o); }};

LmSettings with(const std::string& attention, long context) {
  LmSettings s = tiny_lm();
  s.attention = attention, s.context = context, s.positions = "learned";
  return s;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_attention_of_ours_looks_ahead) {
  const std::string text = tiny_text();
  for (const char* attention : {"full", "window:left=9", "local:block=8", "linear", "additive"})
    for (const long context : {2, 16, 130}) {
      Gpt model(model_options(with(attention, context)));
      model.initialise(1);
      BOOST_TEST(probe_leaks(model, split_of({text})) > 0);
    }
}

BOOST_AUTO_TEST_CASE(who_looks_ahead_is_found) {
  const RegisteredVariant cheat(kCheat);
  const std::string text = tiny_text();
  Gpt model(model_options(with("cheat", 16)));
  model.initialise(1);
  BOOST_TEST(
      error_of([&] { probe_leaks(model, split_of({text})); }) ==
      "leak_probe: the model looks ahead: with other bytes behind place 0 of 16 it says something else at place 0. "
      "Its score means nothing");
}

BOOST_AUTO_TEST_CASE(a_single_token_has_nothing_behind_it) {
  Gpt model(model_options(with("full", 16)));
  const std::string one = "a", three = "abc";
  BOOST_TEST(probe_leaks(model, split_of({one})) == 0);
  BOOST_TEST(probe_leaks(model, split_of({three})) == 2);
  BOOST_TEST(probe_leaks(model, split_of({three}), 1) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
