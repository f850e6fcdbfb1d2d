// A core on the softmax engine that computes its pattern in ways of its own, against the definition: the engine's plain
// reference over what the core says is seen.
#pragma once

#include "attention/softmax_core.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tests/support/compare.h"

// The core with what is protected in it
template <class Core> struct OpenCore : Core { using Core::Core, Core::inputs, Core::options, Core::seen; };

struct CoreSizes {
  long T, S;
  std::string bias = "none";
  double dropout = 0;
  heed::Mask mask = {};

  heed::MixerOptions mixer() const { return {.heads = 4, .head_width = 3, .value_width = 5, .dropout = dropout}; }
  heed::BiasMaker maker() const {
    return heed::bias_of(heed::VariantOptions("full:bias=" + bias, "full", heed::bias_options()));
  }
};

// o and the gradients of q, k, v and the parameters, computed by the core or by the definition
template <class Core>
std::vector<heed::Tensor> core_results(OpenCore<Core>& core, const CoreSizes& c, bool by_definition) {
  using namespace heed;
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

// make(): the core, new each time
template <class Make> void check_core(const CoreSizes& c, const Make& make) {
  const auto by_core = make(), by_definition = make();
  const auto got = core_results(*by_core, c, false), want = core_results(*by_definition, c, true);
  for (size_t i = 0; i < want.size(); i++) BOOST_TEST_CONTEXT("result " << i) check_close(got[i], want[i], 1e-11);
}
