// SparseCore computes its patterns in several ways (columns as heads, residues, summaries side by side, columns of a
// table, parts that are merged): always the same pairs, weights, draws and gradients as the definition, which is what
// weights() shows.
#include "attention/sparse_core.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/random.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

struct Open : SparseCore {
  using SparseCore::inputs, SparseCore::options, SparseCore::SparseCore, SparseCore::seen;
};

struct CoreCase {
  long T, S;
  SparseRule rule;
  std::string bias = "none";
  double dropout = 0;
  Mask mask = {};
};

// o and the gradients of q, k and v, computed by the core or by the definition
std::vector<Tensor> results(const CoreCase& c, bool by_definition) {
  const VariantOptions options("full:bias=" + c.bias, "full", bias_options());
  Open core({.heads = 4, .head_width = 3, .value_width = 5, .dropout = c.dropout}, c.rule, bias_of(options));
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

SparseRule rule(bool fixed, long l, const SummaryPattern& heads, long window = 0) {
  SparseRule rule{.fixed = fixed, .parts = heads, .window = window};
  rule.parts.block = l, rule.parts.heads = 4;
  return rule;
}

// Merged, split, and the second pattern alone
std::vector<SparseRule> rules() {
  std::vector<SparseRule> all;
  for (auto [own, from] : {std::pair{4L, 0L}, {2, 2}, {0, 0}}) {
    for (auto [l, window] : {std::pair{7L, 6L}, {7, 7}, {64, 63}})
      all.push_back(rule(false, l, {.own = own, .from = from}, window));
    all.push_back(rule(true, 9, {.columns = 2, .groups = 3, .own = own, .from = from}));
    all.push_back(rule(true, 64, {.columns = 16, .groups = 1, .own = own, .from = from}));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sparse_core_test)

BOOST_AUTO_TEST_CASE(every_way_of_computing_equals_the_definition) {
  for (auto [T, S] :
       {std::pair{200L, 200L}, {2, 2}, {1, 1}, {1, 200}, {3, 150}, {80, 200}, {448, 448}, {64, 192}, {14, 49}})
    for (const SparseRule& rule : rules())  // of the last ones some are whole rows
      for (bool causal : {false, true}) BOOST_TEST_CONTEXT(T << " by " << S << " " << rule.text()) {
          check({.T = T, .S = S, .rule = rule, .mask = {.causal = causal}});
        }
}

BOOST_AUTO_TEST_CASE(biases_dropout_and_masks_speak_of_tokens) {
  for (auto [T, S] : {std::pair{150L, 150L}, {1, 150}, {70, 150}}) {
    const Tensor some = greater(uniform({2, 4, T, S}, {.seed = 4}), scalar(0.5));
    for (const SparseRule& rule : rules()) BOOST_TEST_CONTEXT(T << " by " << S << " " << rule.text()) {
        for (const char* bias : {"alibi", "t5", "shaw"})
          check({.T = T, .S = S, .rule = rule, .bias = bias, .dropout = 0.3, .mask = causal_mask()});
        const Tensor segments = cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64);
        for (const Mask& mask : {length_mask(tensor({double(S), double(S / 2)}, i64)), segment_mask(segments),
                                 allow_mask(some), causal_mask() & window_mask(40, 0)})
          check({.T = T, .S = S, .rule = rule, .bias = "t5", .mask = mask});
      }
  }
}

BOOST_AUTO_TEST_SUITE_END()
