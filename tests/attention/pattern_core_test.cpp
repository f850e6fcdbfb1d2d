// PatternCore computes a pattern in several ways (residues, every n-th key, parts that are merged): always the same
// pairs, weights, draws and gradients as the definition, which is what weights() shows.
#include "attention/pattern_core.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

struct Open : PatternCore {
  using PatternCore::inputs, PatternCore::options, PatternCore::PatternCore, PatternCore::seen;
};

struct CoreCase {
  long T, S;
  Pattern pattern;
  long globals = 0;
  std::string bias = "none";
  double dropout = 0;
  Mask mask = {};
};

// o and the gradients of q, k and v, computed by the core or by the definition
std::vector<Tensor> results(const CoreCase& c, bool by_definition) {
  const VariantOptions options("full:bias=" + c.bias, "full", bias_options());
  Open core({.heads = 4, .head_width = 3, .value_width = 5, .dropout = c.dropout},
            {.pattern = c.pattern, .globals = c.globals, .bias = bias_of(options)});
  core.cast_parameters(f64);
  for (Parameter* p : core.parameters()) p->value.set_value(noise(p->value.shape(), 7, f64));
  std::vector<Variable> x = {Variable::leaf(noise({2, 4, c.T, 3}, 1, f64)),
                             Variable::leaf(noise({2, 2, c.S, 3}, 2, f64)),
                             Variable::leaf(noise({2, 2, c.S, 5}, 3, f64))};
  const Heads heads{x[0], x[1], x[2]};
  Context ctx;
  ctx.train = c.dropout > 0;
  const Variable o = by_definition ? softmax_attention_reference(core.inputs(heads, c.mask, ctx),
                                                                 core.seen(heads, c.mask, ctx), core.options(ctx))
                                         .o
                                   : core.attend(heads, c.mask, ctx);
  sum(o * Variable(noise(o.shape(), 4, f64))).backward();
  std::vector<Tensor> all = {o.value()};
  for (const Variable& each : x) all.push_back(each.grad());
  for (Parameter* p : core.parameters()) all.push_back(p->value.grad());
  return all;
}

void check(const CoreCase& c) {
  const auto got = results(c, false), want = results(c, true);
  for (size_t i = 0; i < want.size(); i++) BOOST_TEST_CONTEXT("result " << i) check_close(got[i], want[i], 1e-11);
}

std::vector<Mask> masks(long T, long S) {
  return {{},
          causal_mask(),
          causal_mask() & length_mask(tensor({double(S), double(S / 2)}, i64)),
          range_mask(cast(uniform({1, T, 2}, {.seed = 6}, -3, double(S) + 3), i64))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pattern_core_test)

BOOST_AUTO_TEST_CASE(a_dilated_window_equals_the_definition_however_it_is_computed) {
  for (auto [T, S] : {std::pair{150L, 150L}, {2, 2}, {1, 1}, {1, 150}, {3, 100}, {70, 100}})
    for (const Pattern& pattern : {Pattern{.window_left = 9, .window_right = 4, .dilation = 3},
                                   {.dilation = 2},
                                   {.window_left = 2, .dilation = 70}})
      for (const Mask& mask : masks(T, S))
        for (const char* bias : {"none", "alibi", "t5", "shaw"}) BOOST_TEST_CONTEXT(T << " by " << S << " " << bias) {
            check({.T = T, .S = S, .pattern = pattern, .bias = bias, .mask = mask});
            check({.T = T, .S = S, .pattern = pattern, .bias = bias, .dropout = 0.4, .mask = mask});
          }
}

BOOST_AUTO_TEST_CASE(a_window_with_globals_equals_the_definition_however_it_is_computed) {
  for (auto [T, S] : {std::pair{150L, 150L}, {1, 1}, {1, 3}, {1, 150}, {3, 100}, {70, 100}, {9, 4}})
    for (const Pattern& pattern :
         {Pattern{.window_left = 9, .window_right = 4}, {.window_left = 6, .window_right = 0, .dilation = 3}})
      for (long globals : {1, 5, 200})
        for (const Mask& mask : masks(T, S))
          for (const char* bias : {"none", "t5", "shaw"}) BOOST_TEST_CONTEXT(T << " by " << S << " " << bias) {
              check({.T = T, .S = S, .pattern = pattern, .globals = globals, .bias = bias, .mask = mask});
              check({.T = T, .S = S, .pattern = pattern, .globals = globals, .dropout = 0.4, .mask = mask});
            }
}

// While a phase of the training keeps windows short, every plan and every path follows.
BOOST_AUTO_TEST_CASE(scaled_windows_are_shorter_windows) {
  const auto output = [](const Pattern& pattern, long globals, long T, Context& ctx) {
    PatternCore core({.heads = 4, .head_width = 3, .value_width = 5}, {.pattern = pattern, .globals = globals});
    const Variable q = noise({2, 4, T, 3}, 1), k = noise({2, 2, 70, 3}, 2), v = noise({2, 2, 70, 5}, 3);
    return core.attend({q, k, v}, causal_mask(), ctx).value();
  };
  Context scaled, plain;  // one of each: plans are kept between calls
  for (double scale : {1.0, 0.5, 0.01, 1.0})
    for (long dilation : {1, 3})
      for (long globals : {0, 2})
        for (long T : {70, 1, 20}) {
          scaled.window_scale = scale;
          const long left = scale == 1.0 ? 20 : scale == 0.5 ? 10 : 1;
          const Pattern wide{.window_left = 20, .window_right = 0, .dilation = dilation};
          const Pattern narrow{.window_left = left, .window_right = 0, .dilation = dilation};
          BOOST_TEST(same_bits(output(wide, globals, T, scaled), output(narrow, globals, T, plain)),
                     scale << " " << dilation << " " << globals << " " << T);
        }
  BOOST_TEST(scaled.scaled(-1) == -1);  // all
  scaled.window_scale = 0.5;
  BOOST_TEST(scaled.scaled(0) == 0);
  BOOST_TEST(scaled.scaled(7) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
